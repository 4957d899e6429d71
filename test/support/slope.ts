/**
 * Fits how a cost grows: the slope of the line through log(cost) over log(size).
 *
 * @param sizes - two or more sizes
 * @param costs - the cost at each, above 0
 * @returns 0 for constant cost, 1 for linear cost
 */
export function slopeOf(sizes: readonly number[], costs: readonly number[]): number {
  const xs = sizes.map(Math.log);
  const ys = costs.map(Math.log);
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const middleX = mean(xs);
  const middleY = mean(ys);
  const rise = xs.reduce((sum, x, index) => sum + (x - middleX) * ((ys[index] ?? 0) - middleY), 0);
  return rise / xs.reduce((sum, x) => sum + (x - middleX) ** 2, 0);
}
