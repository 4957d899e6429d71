import { familyBits } from '../../addressing/address';
import { PrefixSetBuilder, type PrefixSet } from '../../addressing/prefix-set';
import { parseRange, type Range } from '../../addressing/range';
import { parseExclusion } from '../../contract/group-space';
import { listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { NEPHIO } from '../../contract/nephio';
import type { PrefixKind } from '../../contract/networks/entry';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import { requestDigest } from './digest';
import { readCidr, writtenText, type WrittenPrefix } from './read-cidr';
import { readLabels } from './read-labels';
import { ownerOf, readKind } from './read-object';
import { isPrefixForm, reservedIn } from './reserved';
import type { PrefixRequest } from './types';

const invalid = (field: string, value: string, why: string): Outcome<never> =>
  refuse('prefix/invalid', `${field}: "${value}" ${why}`, { field, value });

function readRange(spec: JsonMap, kind: PrefixKind, { block }: WrittenPrefix): Outcome<Range | undefined> {
  if (spec['range'] === undefined) return accept(undefined);
  const text = textOf(spec['range']);
  const parsed = parseRange(text);
  if (!parsed.ok) return invalid('spec.range', text, `is no range: ${parsed.refusal.message}`);
  if (kind === 'aggregate') return invalid('spec.range', text, 'is in an aggregate, which gives no addresses');
  const isInside = block.contains(parsed.value.first) && block.contains(parsed.value.last);
  if (!isInside) return invalid('spec.range', text, `does not lie in "${block.toString()}", which spec.prefix names`);
  return parsed;
}

function readExcluded(spec: JsonMap): Outcome<PrefixSet> {
  const excluded = new PrefixSetBuilder();
  for (const [index, entry] of listOf(spec['excluded']).entries()) {
    const parsed = parseExclusion(textOf(entry));
    if (!parsed.ok) return invalid(`spec.excluded[${String(index)}]`, textOf(entry), parsed.refusal.message);
    excluded.add(parsed.value);
  }
  return accept(excluded.build());
}

function readNetworkName(spec: JsonMap, kind: PrefixKind): Outcome<string> {
  if (kind !== 'network') return accept('');
  const name = textOf(spec['network']);
  if (name !== '') return accept(name);
  return refuse('prefix/no-network-name', 'spec.network: is empty; a prefix of kind network names its network', {
    field: 'spec.network',
  });
}

// Labels that the system will set on the entry of the prefix, as far as the object alone tells them.
function systemLabels(object: JsonMap, kind: PrefixKind, written: WrittenPrefix): Record<string, string> {
  const spec = mapOf(object['spec']);
  const { block } = written;
  const name = textOf(metadataOf(object)['name']);
  const bits = familyBits(block.family);
  const isHost = kind === 'network';
  return {
    [NEPHIO.networkInstance]: textOf(spec['networkInstance']),
    [NEPHIO.prefixKind]: kind,
    [NEPHIO.addressFamily]: block.family === 4 ? 'ipv4' : 'ipv6',
    [NEPHIO.prefixName]: name,
    [NEPHIO.allocationName]: name,
    [NEPHIO.prefixLength]: String(isHost ? bits : block.length),
    [NEPHIO.origin]: 'prefix',
    ...(isHost ? { [NEPHIO.networkName]: textOf(spec['network']), [NEPHIO.network]: block.first.toString() } : {}),
    ...(isHost ? { [NEPHIO.parentPrefixLength]: String(block.length) } : {}),
    // an aggregate may be marked as one that pools are given from
    ...(kind === 'pool' || kind === 'aggregate' ? { [NEPHIO.pool]: 'true' } : {}),
  };
}

/**
 * Reads an IPPrefix; what no API server would take is told and never thrown.
 *
 * @param object - as the API server has it
 * @returns the request; or the first thing that is wrong
 */
export function readPrefix(object: JsonMap): Outcome<PrefixRequest> {
  const spec = mapOf(object['spec']);
  const kind = readKind(spec['kind'], 'prefix/invalid');
  if (!kind.ok) return kind;
  const written = readCidr(kind.value, textOf(spec['prefix']));
  if (!written.ok) return written;
  const networkName = readNetworkName(spec, kind.value);
  if (!networkName.ok) return networkName;
  return readRest(object, kind.value, { ...written.value, networkName: networkName.value });
}

// Parts of the prefix that are given otherwise than the rest, or not at all.
function readSpace(
  spec: JsonMap,
  kind: PrefixKind,
  written: WrittenPrefix,
): Outcome<Pick<PrefixRequest, 'excluded' | 'range'>> {
  const range = readRange(spec, kind, written);
  if (!range.ok) return range;
  const excluded = readExcluded(spec);
  if (!excluded.ok) return excluded;
  return accept({ excluded: excluded.value, ...(range.value === undefined ? {} : { range: range.value }) });
}

function lastRefused(written: WrittenPrefix): Outcome<never> | undefined {
  if (reservedIn(written.block).last?.equals(written.address) !== true) return undefined;
  const value = writtenText(written);
  const message = `spec.prefix: "${value}" is the last address of its subnet, which no host can have; use one between the first and the last`;
  return refuse('address/reserved', message, { field: 'spec.prefix', value });
}

function readRest(
  object: JsonMap,
  kind: PrefixKind,
  written: WrittenPrefix & { readonly networkName: string },
): Outcome<PrefixRequest> {
  const spec = mapOf(object['spec']);
  const { address, block, networkName } = written;
  const labels = readLabels(metadataOf(object), systemLabels(object, kind, written));
  if (!labels.ok) return labels;
  const space = readSpace(spec, kind, written);
  if (!space.ok) return space;
  const { range } = space.value;
  const refused = range === undefined && kind === 'network' ? lastRefused(written) : undefined;
  if (refused !== undefined) return refused;
  const isGateway = kind === 'network' && labels.value.isGateway && !isPrefixForm(block, address);
  return accept({
    owner: ownerOf(object, 'IPPrefix'),
    kind,
    address,
    block,
    networkName,
    isGateway,
    labels: labels.value.labels,
    ...space.value,
    digest: requestDigest([kind, writtenText(written), networkName, isGateway, range?.toString()]),
  });
}
