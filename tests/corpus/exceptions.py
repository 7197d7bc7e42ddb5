"""Exceptions that the program catches: raised by it, by its functions, by Python's own operations, known beforehand."""

import numpy as np, math

from tests.corpus import case

X = np.array([0.3, 1.2, 0.7, 2.1])


class Mine(Exception):
    pass


class Sub(Mine):
    pass


def helper(x, lim):
    if x > lim:
        raise ValueError('too big')
    return x * 2


def summed(x):
    s = 0.0
    for i in range(4):
        if s > 2:
            raise Sub('deep')
        s += helper(x, 10.0)
    return s


class Verr(Exception):

    def __init__(self, v):
        super().__init__('bad')
        self.v = v


def deep(x):
    y = x * 3
    try:
        y = summed(x) * y
    except Mine as e:
        y = y * 5 if isinstance(e, Sub) else y
    return y


def deep2(x):
    y = x * 3
    try:
        y = summed(x) * y
    except Mine as e:
        y = y * 5
    return y


def static(x):
    try:
        import does_not_exist as m
        y = m.f(x)
    except ImportError:
        y = x * 2
    return y


def static_ok(x):
    try:
        import math as m
        y = m.sin(x)
    except ImportError:
        y = x * 2
    else:
        y = y * 3
    finally:
        y = y + 1
    return y


def attr(x):
    try:
        return x.nope
    except AttributeError:
        return x * 2


def key(x):
    d = {'a': x}
    try:
        return d['b']
    except KeyError as e:
        return x * 2 + len(str(e))


def type_program(x):
    try:
        return x + None
    except TypeError:
        return x * 2


def type2(x):
    try:
        return len(x)
    except TypeError:
        return x * 2


def name(x):
    try:
        return undefined_name * x
    except NameError:
        return x * 2


def int_zdiv(x, n):
    try:
        r = x * (5 // n)
    except ArithmeticError:
        r = x * 7
    return r * x


def exp(x):
    try:
        return math.exp(x)
    except OverflowError:
        return x * 3


def powover(x):
    try:
        return x ** 2
    except OverflowError:
        return x * 3


def index(x, n):
    try:
        return x[n] * 2
    except IndexError:
        return x[0] * 3


def index_ok(x, n):
    try:
        return x[n] * 2
    except IndexError:
        return x[0] * 3


def index_list(x, n):
    l = [x[0], x[1]]
    try:
        return l[n] * 2
    except IndexError:
        return x[0] * 3


def index_loop(x, n):
    s = 0.0
    for i in range(n):
        try:
            s += x[i] * i
        except IndexError:
            s *= 2
            break
    return s


def index_cont(x, n):
    s = 0.0
    for i in range(n):
        try:
            v = x[i]
        except IndexError:
            s = s * 1.5
            continue
        s += v * i
    return s


def store_index(x, n):
    y = x.copy()
    try:
        y[0] = 5 * x[1]
        y[n + 2] = x[0]
    except IndexError:
        y[1] = y[0] * x[2]
    return np.sum(y * x)


def pop(x, n):
    l = [x[i] for i in range(n)]
    s = 0.0
    try:
        while True:
            s = s * 2 + l.pop()
    except IndexError:
        s = s * x[3]
    return s


def pop_fixed(x):
    l = [x[0]]
    try:
        a = l.pop()
        b = l.pop()
    except IndexError:
        b = x[1]
    return a * b


def nested(x):
    try:
        try:
            raise KeyError('a')
        except ValueError:
            y = x
        finally:
            z = x * 2
    except KeyError:
        y = x * 3
    return y * z


def reraise(x):
    y = 1.0
    try:
        try:
            if x > 1:
                raise Sub('v')
            y = x
        except Mine:
            y = x * 2
            raise
    except Sub:
        y = y * 3 * x
    return y


def raise_in_handler(x):
    try:
        try:
            raise ValueError('a')
        except ValueError as e:
            raise KeyError('b') from e
    except KeyError:
        return x * 3


def else_program(x):
    s = x
    try:
        if x > 5:
            raise ValueError
    except ValueError:
        s = 0.0
    else:
        s = s * x
    finally:
        s = s + x
    return s


def else_raises(x):
    try:
        try:
            y = x
        except ValueError:
            y = 3 * x
        else:
            raise ValueError('from else')
    except ValueError:
        y = 7 * x * y
    return y


def args_program(x):
    try:
        raise ValueError('v', x * 2)
    except ValueError as e:
        return e.args[1] * x


def args_rt(x, n):
    s = 0.0
    for i in range(n):
        try:
            if i % 2:
                raise ValueError('v', x * i)
            s += x
        except ValueError as e:
            s += e.args[1] * x
    return s


def return_in_finally(x):

    def f():
        try:
            raise ValueError
        finally:
            return x * 2
    return f()


def return_through_finally(x):
    l = [x]

    def f():
        try:
            try:
                if l[0] > 1:
                    raise ValueError
                return 1.0
            finally:
                l[0] = l[0] * 2
        except ValueError:
            return l[0] * 3
    return f() + l[0]


def loop_try_outside(x, n):
    s = 1.0
    i = 0
    try:
        for i in range(n):
            s *= x
            for j in range(n):
                if s > 3:
                    raise Mine()
                s += 0.1 * x
    except Mine:
        s = s * i * x
    return s


def comp(x, n):
    try:
        r = sum([helper(x * i, 4.0) for i in range(n)])
    except ValueError:
        r = x ** 2
    return r


def comp_ok(x, n):
    try:
        r = sum([helper(x * i, 40.0) for i in range(n)])
    except ValueError:
        r = x ** 2
    return r


def expr_order(x, n):
    y = x
    try:
        y = y + helper(x, 1.0) * helper(x, 5.0)
    except ValueError:
        y = y * 10
    return y


def expr_store(x, n):
    y = np.zeros(3)
    try:
        y[0] = x
        y[1] = helper(x, 1.0)
        y[2] = 7.0
    except ValueError:
        y[2] += x * 3
    return np.sum(y) * x


def cond(x, n):
    try:
        y = helper(x, 1.0) if n > 3 else x
        z = n > 3 and helper(x, 5.0) > 2
    except ValueError:
        y, z = (5 * x, True)
    return y * (2 if z else 1)


def while_cond(x, n):
    y = x
    try:
        while helper(y, 4.0) > 0:
            y *= 1.5
    except ValueError:
        pass
    return y


def lambda_program(x, n):
    f = lambda v: helper(v, 1.0) + 1
    try:
        return f(x) * 2
    except (KeyError, ValueError):
        return x * 9


def assert_program(x, n):
    try:
        assert x < 1, 'no'
        return x
    except AssertionError:
        return x * 9


def solve_sing(b):
    try:
        return np.sum(np.linalg.solve(np.array([[1.0, 2.0], [2.0, 4.0]]), b))
    except np.linalg.LinAlgError:
        return np.sum(b * b)


def newton(x):
    y = x
    for _ in range(50):
        try:
            d = 2 * y
            y = y - (y * y - x) / d
        except ZeroDivisionError:
            y = y + 0.001
    return y


def float_static(x):
    try:
        k = float('abc')
    except ValueError:
        k = 2.0
    return x * k


def unbound(x):
    if x > 2:
        z = 1.0
    try:
        return z * x
    except UnboundLocalError:
        return x * 2


def suppress(x):
    from contextlib import suppress
    y = x
    with suppress(ValueError):
        y = y * 2
        if x > 1:
            raise ValueError
        y = 100.0
    return y * x


def break_in_try_finally(x, n):
    s = 0.0
    for i in range(5):
        try:
            if i == n:
                break
            if i == 1:
                raise ValueError
            s += x
        except ValueError:
            s += 10 * x
            continue
        finally:
            s *= 1.5
    return s


def catch_return(x, n):

    def f(k):
        for i in range(10):
            try:
                if i == k:
                    return x * i
                if i > 4:
                    raise ValueError
            except ValueError:
                return x * 100
        return 0.0
    return f(n) + f(8)


def print_err(x):
    try:
        raise ValueError(f'value {x:.2f}')
    except ValueError as e:
        y = x * 2
    return y


def custom_attr(x):
    try:
        raise Verr(x * 2)
    except Verr as e:
        return e.v * x


def swap(x, n):
    a, b = (x, 2 * x)
    for i in range(n):
        try:
            a, b = (b, helper(a, 4.0))
        except ValueError:
            a = 1.0 * x
    return a * b


def max_empty(x):
    try:
        return np.max(x[4:])
    except ValueError:
        return x[0] * 2


def aug(x, n):
    y = x.copy()
    try:
        y[0] += 1.0
        y[n + 4] += helper(x[0], 0.1)
    except (IndexError, ValueError) as e:
        y[1] *= 3 if isinstance(e, ValueError) else 5
    return np.sum(y)


case(deep, (1.5,))
case(deep2, (0.3,))
case(static, (1.5,))
case(static_ok, (1.5,))
case(attr, (1.5,))
case(key, (1.5,))
case(type_program, (1.5,))
case(type2, (1.5,))
case(name, (1.5,))
case(int_zdiv, (1.5, 0,))
case(exp, (800.0,))
case(powover, (1e+200,))
case(index, (X, 7,))
case(index_ok, (X, 2,))
case(index_list, (X, 7,))
case(index_loop, (X, 7,))
case(index_cont, (X, 7,))
case(store_index, (X, 3,))
case(pop, (X, 3,))
case(pop_fixed, (X,))
case(nested, (1.5,))
case(reraise, (1.5,))
case(raise_in_handler, (1.5,))
case(else_program, (1.5,))
case(else_raises, (1.5,))
case(args_program, (1.5,))
case(args_rt, (1.5, 5,))
case(return_in_finally, (1.5,))
case(return_through_finally, (1.5,))
case(loop_try_outside, (1.5, 4,))
case(comp, (1.5, 4,))
case(comp_ok, (1.5, 4,))
case(expr_order, (1.5, 4,))
case(expr_store, (1.5, 4,))
case(cond, (1.5, 4,))
case(while_cond, (1.5, 4,))
case(lambda_program, (1.5, 4,))
case(assert_program, (1.5, 4,))
case(solve_sing, (np.array([1.0, 2.0]),))
case(newton, (1.5,))
case(float_static, (1.5,))
case(unbound, (1.5,))
case(suppress, (1.5,))
case(break_in_try_finally, (1.5, 3,))
case(catch_return, (1.5, 3,))
case(print_err, (1.5,))
case(custom_attr, (1.5,))
case(swap, (1.5, 3,))
case(max_empty, (X,))
case(aug, (X, 3,))


def divided(x, y):
    try:
        r = x / y
    except ZeroDivisionError:
        r = x * 7.0
    return r * x


def divided_by_zero(x, n):
    y = n * 0.0
    try:
        r = x / y
    except ZeroDivisionError:
        r = x * 7.0
    return r * x


def called_and_caught(x):
    try:
        y = helper(x, 1.0) + x
    except ValueError:
        y = x ** 3
    return y * x


def root_or_square(x):
    try:
        return math.sqrt(x) * x
    except ValueError:
        return x * x


def logs(x):
    try:
        a = math.log(x)
        b = math.log(a)
        return a * b
    except ValueError:
        return x * x


def raise_jitter(x):
    a = np.array([[2.0, 0.0], [0.0, -0.2]]) + np.diag(x)
    jitter = 0.5
    while True:
        try:
            factor = np.linalg.cholesky(a + jitter * np.eye(2))
            break
        except np.linalg.LinAlgError:
            jitter *= 2.0
    return np.sum(factor)


def inverse_or_sum(a):
    try:
        return np.sum(np.linalg.inv(a))
    except np.linalg.LinAlgError:
        return np.sum(a)


case(divided, (1.5, 2.0))
case(divided_by_zero, (1.5, 2))
case(called_and_caught, (1.5,), numba="fast", second=True)
case(root_or_square, (-1.5,))
case(logs, (0.5,))
case(raise_jitter, (np.array([0.1, -0.9]),))
case(inverse_or_sum, (np.array([[2.0, 1.0], [1.0, 3.0]]),))
