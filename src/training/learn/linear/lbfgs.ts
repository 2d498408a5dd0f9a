/** A smooth convex function: returns its value at a point and writes its gradient. */
type Objective = (point: Float64Array, gradient: Float64Array) => number;

/** The number of steps that the curvature is estimated from. */
const MEMORY = 10;
const SUFFICIENT_DECREASE = 1e-4;
const MAX_HALVINGS = 30;

/**
 * Minimizes in place by L-BFGS with a backtracking line search (Nocedal and Wright, Numerical Optimization, 2006,
 * algorithms 7.4 and 3.1). Returns the number of iterations.
 *
 * @param tolerance stops when no component of the gradient is larger
 */
export function minimize(
  objective: Objective,
  point: Float64Array,
  { maxIterations, tolerance }: { maxIterations: number; tolerance: number },
): number {
  const gradient = new Float64Array(point.length);
  let value = objective(point, gradient);
  const steps: { step: Float64Array; change: Float64Array; product: number }[] = [];
  const next = new Float64Array(point.length);
  const nextGradient = new Float64Array(point.length);
  for (let iteration = 0; iteration < maxIterations; iteration++) {
    if (gradient.every(each => Math.abs(each) <= tolerance)) return iteration;
    const direction = directionOf(gradient, steps);
    const slope = dot(direction, gradient);
    let length = iteration === 0 ? 1 / Math.max(1, Math.sqrt(dot(gradient, gradient))) : 1;
    let nextValue = Infinity;
    for (let halving = 0; halving <= MAX_HALVINGS; halving++) {
      for (let i = 0; i < point.length; i++)
        next[i] = (point[i] as number) + length * (direction[i] as number);
      nextValue = objective(next, nextGradient);
      if (nextValue <= value + SUFFICIENT_DECREASE * length * slope) break;
      length /= 2;
    }
    // No shorter step is better: the limit of double precision is reached.
    if (!(nextValue < value)) return iteration;
    const step = next.map((each, i) => each - (point[i] as number));
    const change = nextGradient.map((each, i) => each - (gradient[i] as number));
    const product = dot(step, change);
    if (product > 1e-12 * dot(change, change)) steps.push({ step, change, product });
    if (steps.length > MEMORY) steps.shift();
    point.set(next);
    gradient.set(nextGradient);
    value = nextValue;
  }
  return maxIterations;
}

/** The descent direction: the negative gradient, scaled by the curvature estimated from the last steps. */
function directionOf(
  gradient: Float64Array,
  steps: readonly { step: Float64Array; change: Float64Array; product: number }[],
): Float64Array {
  const direction = gradient.map(each => -each);
  const factors: number[] = [];
  for (const { step, change, product } of steps.toReversed()) {
    const factor = dot(step, direction) / product;
    factors.push(factor);
    add(direction, change, -factor);
  }
  const last = steps.at(-1);
  if (last !== undefined) {
    const scale = last.product / dot(last.change, last.change);
    for (let i = 0; i < direction.length; i++) direction[i] = (direction[i] as number) * scale;
  }
  for (const { step, change, product } of steps) {
    const factor = factors.pop() ?? 0;
    add(direction, step, factor - dot(change, direction) / product);
  }
  return direction;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}

function add(to: Float64Array, what: Float64Array, factor: number): void {
  for (let i = 0; i < to.length; i++) to[i] = (to[i] as number) + factor * (what[i] as number);
}
