/**
 * Numbers that look random and are the same in every run.
 *
 * @param seed - any number; equal seeds give equal numbers
 * @returns a function that gives the next unsigned 32-bit number
 */
export function numbersFrom(seed: number): () => number {
  let state = (seed * 2 + 1) >>> 0;
  return () => {
    // xorshift32 after Marsaglia 2003, then a multiplication, since its low bits alone are weak
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return Math.imul(state, 0x9e37_79b1) >>> 0;
  };
}
