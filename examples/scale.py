import s2sgrad as tf

@tf.custom_gradient
def scale(x, factor):
    def grad(dy):
        return dy * factor, tf.reduce_sum(dy * x)
    return x * factor, grad

t = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0])
f = tf.constant(2.0)

with tf.GradientTape() as tape:
    tape.watch(t)
    tape.watch(f)
    res = tf.reduce_sum(scale(t, f))

print(res)
print(tape.gradient(res, t))
print(tape.gradient(res, f))
