import { parseAddressWithMask, type Prefix } from '../../addressing/prefix';
import { parseExclusion } from '../../contract/group-space';
import { listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { statusIn } from '../../contract/stored-status';
import { readPrefix } from './read-prefix';
import type { PrefixRequest } from './types';

/** An IPPrefix as far as it decides about what is given in its place, even while a change of it is refused. */
export interface DeclaredPrefix {
  /** Without labels where these are refused. */
  readonly request: PrefixRequest;
  /** Blocks that it is about: the one of its spec, and the one of its status until it has left that. */
  readonly places: readonly Prefix[];
  /** Whether nothing of it is refused by itself. */
  readonly isReadable: boolean;
}

function blockIn(text: string): readonly Prefix[] {
  const parsed = parseAddressWithMask(text);
  return parsed.ok ? [parsed.value.network] : [];
}

// Everything that may be refused without a word about the place is left out.
function bare(object: JsonMap, prefix: string): JsonMap {
  const spec = mapOf(object['spec']);
  const excluded = listOf(spec['excluded']).filter((each) => parseExclusion(textOf(each)).ok);
  const network = textOf(spec['network']) || statusIn(object)['network'];
  return {
    ...object,
    metadata: { ...metadataOf(object), labels: {} },
    spec: { ...spec, prefix, network, excluded },
  };
}

/**
 * Reads of an IPPrefix what it excludes, its range and its place. A label or a place that is refused opens none of them.
 *
 * @param object - as the API server has it
 * @returns what it declares; undefined where neither spec nor status tell a place
 */
export function readDeclared(object: JsonMap): DeclaredPrefix | undefined {
  const shown = textOf(statusIn(object)['prefix']);
  const whole = readPrefix(object);
  const texts = [textOf(mapOf(object['spec'])['prefix']), shown];
  const [first] = [whole, ...texts.map((text) => readPrefix(bare(object, text)))].filter(({ ok }) => ok);
  if (first?.ok !== true) return undefined;
  const { value: request } = first;
  const left = blockIn(shown).filter((block) => !block.equals(request.block));
  return { request, places: [request.block, ...left], isReadable: whole.ok };
}
