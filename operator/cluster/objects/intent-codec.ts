import { isMap } from '../../contract/loose-json';
import { IpamError } from '../../errors/ipam-error';
import type { IntentRow } from '../../ports/intent-rows';

// FNV-1a: spreads the rows, protects nothing. It must never change: a row is looked for only where it was put.
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * Chooses the Secret of a row.
 *
 * @param id - of the row
 * @param count - number of Secrets
 * @returns index of the Secret, from 0
 */
export function bucketOf(id: string, count: number): number {
  let hash = FNV_OFFSET;
  for (let i = 0; i < id.length; i += 1) hash = Math.imul(hash ^ id.charCodeAt(i), FNV_PRIME);
  return (hash >>> 0) % count;
}

/**
 * Writes a row as the value of its key.
 *
 * @param row - what is written; its id is the key
 * @returns base64 of its JSON
 */
export function writtenRow({ version, body }: IntentRow): string {
  return Buffer.from(JSON.stringify({ version, body }), 'utf8').toString('base64');
}

/**
 * Reads the value of a key.
 *
 * @param id - under which the value stands
 * @param value - as `writtenRow` made it
 * @returns what was written
 * @throws IpamError `store/schema` for a value that no operator wrote; what it holds is not quoted
 */
export function readRow(id: string, value: string): IntentRow {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(value, 'base64').toString('utf8'));
    if (isMap(parsed) && typeof parsed['version'] === 'number' && isMap(parsed['body'])) {
      return { id, version: parsed['version'], body: parsed['body'] };
    }
  } catch {
    // the parser's message would quote the row, which holds a secret
  }
  throw new IpamError('store/schema', `intent row "${id}" cannot be read; was its Secret edited by hand?`);
}
