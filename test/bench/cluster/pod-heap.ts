import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Half of the limit of the Pod: what Node.js gives its old generation there. On a large machine it gives far more. */
const OLD_GENERATION = '--max-old-space-size=256';

/**
 * Environment of an operator that is to use memory as in its Pod. `--max-old-space-size` alone is not enough: the young generation
 * follows the memory of the machine, and would be 128 MiB here.
 */
export function podHeap(): { readonly NODE_OPTIONS: string } {
  const dockerfile = readFileSync(join(__dirname, '../../../Dockerfile'), 'utf8');
  const [, words = ''] = /^ENTRYPOINT \[(.*)\]$/mu.exec(dockerfile) ?? [];
  const flags = [...words.matchAll(/"(--[^"]+)"/gu)].map(([, flag]) => flag);
  return { NODE_OPTIONS: [OLD_GENERATION, ...flags].join(' ') };
}
