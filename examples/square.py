import s2sgrad as tf

@tf.custom_gradient
def square(x):
    def grad(dy):
        return dy * 2 * x
    return x * x, grad

t = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(t)
    res = square(t)

print(res)
print(tape.gradient(res, t))
