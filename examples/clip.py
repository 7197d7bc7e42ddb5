import s2sgrad as tf

@tf.custom_gradient
def clip_grad(x):
    def grad(dy):
        return tf.clip_by_value(dy, -1.0, 1.0)
    return x, grad

t = tf.constant([1.0, 2.0, 3.0])
with tf.GradientTape() as tape:
    tape.watch(t)
    res = tf.reduce_sum(clip_grad(t) * 5.0)

print(res)
print(tape.gradient(res, t))
