import { DEFAULT_RESOURCES } from '../../../constructs/operator/pod/resources';

/**
 * Most resident memory with 10,000 Services: three fifths of what the Pod may have by default. Above the limit the kernel kills it, and
 * a burst of reviews (bodies up to 3 MiB each) or a relist comes on top of what rests. No goal of `performance.md`.
 */
export const MEMORY_GATE_MIB = Math.floor(0.6 * Number.parseInt(DEFAULT_RESOURCES.memoryLimit, 10));
