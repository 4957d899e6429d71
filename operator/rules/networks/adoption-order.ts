import { familyBits, type Address } from '../../addressing/address';
import { hostPrefix, parseAddressWithMask, type Prefix } from '../../addressing/prefix';
import { isPrefixKind } from '../../contract/kinds/network-parts';
import { mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { NEPHIO } from '../../contract/nephio';
import { clientKey } from '../../contract/networks/client-key';
import type { EntryOwner, PrefixKind } from '../../contract/networks/entry';
import { clientOwner } from './client';
import { byText } from './digest';
import type { Labels } from './labels';
import { readAllocation } from './read-allocation';
import { ownerOf } from './read-object';
import { readPrefix } from './read-prefix';
import type { Instance } from './types';

/** Objects of one NetworkInstance, with what the older operator showed of its table. */
export interface AdoptedObjects {
  readonly instance: Pick<Instance, 'namespace' | 'name'>;
  readonly prefixes: readonly JsonMap[];
  readonly allocations: readonly JsonMap[];
  /** `status.allocations` of the NetworkInstance: labels by the text of the prefix. */
  readonly dump: Readonly<Record<string, unknown>>;
}

/** One place that an object shows as its own, though no claim says so. */
export interface AdoptionStep {
  readonly role: 'prefix' | 'host' | 'allocation';
  readonly kind: PrefixKind;
  readonly owner: EntryOwner;
  readonly door: 'networks' | 'grpc';
  readonly key?: string;
  /** Space that is given back; of a host its single address. */
  readonly block: Prefix;
  /** Role host: the subnet. */
  readonly subnet?: Prefix;
  readonly networkName?: string;
  readonly isGateway?: boolean;
  readonly isStatic?: boolean;
  readonly labels: Labels;
  /** Digest of the request; absent where it asks for another place by now. */
  readonly request?: string;
  /** Since when the object exists; empty where nothing tells it. */
  readonly since: string;
}

interface Place {
  readonly address: Address;
  readonly network: Prefix;
}

const sinceOf = (object: JsonMap): string => textOf(metadataOf(object)['creationTimestamp']);

function placeOf(text: unknown): Place | undefined {
  const parsed = parseAddressWithMask(textOf(text));
  return parsed.ok ? parsed.value : undefined;
}

/** An entry of the shown table. */
interface Dumped extends Place {
  readonly labels: JsonMap;
  readonly name: string;
}

function readDump(dump: AdoptedObjects['dump']): readonly Dumped[] {
  return Object.entries(dump).flatMap(([text, value]) => {
    const labels = mapOf(value);
    const place = placeOf(text);
    const name = textOf(labels[NEPHIO.allocationName]);
    const isSystem = labels[NEPHIO.origin] === 'system' || !isPrefixKind(labels[NEPHIO.prefixKind]);
    return place === undefined || name === '' || isSystem ? [] : [{ ...place, labels, name }];
  });
}

// The text of an IPPrefix as it was accepted: from its status, else from the shown table, where a host has lost the length of its subnet.
function acceptedText(object: JsonMap, dumped: readonly Dumped[]): string {
  const shown = textOf(mapOf(object['status'])['prefix']);
  if (shown !== '') return shown;
  const spec = mapOf(object['spec']);
  const wanted = placeOf(spec['prefix']);
  const name = textOf(metadataOf(object)['name']);
  const isKept = dumped.some((each) => each.name === name && wanted?.address.equals(each.address) === true);
  return isKept ? textOf(spec['prefix']) : '';
}

function prefixStep(object: JsonMap, dumped: readonly Dumped[]): readonly AdoptionStep[] {
  const prefix = acceptedText(object, dumped);
  const spec = mapOf(object['spec']);
  if (prefix === '' || spec['range'] !== undefined) return [];
  const network = textOf(mapOf(object['status'])['network']) || spec['network'];
  const read = readPrefix({ ...object, spec: { ...spec, prefix, network } });
  if (!read.ok) return [];
  const { kind, owner, labels, block, address, networkName, isGateway } = read.value;
  const step = { kind, owner, labels, door: 'networks', since: sinceOf(object) } as const;
  if (kind !== 'network') return [{ ...step, role: 'prefix', block }];
  return [{ ...step, role: 'host', block: hostPrefix(address), subnet: block, networkName, isGateway }];
}

function blockOf(kind: PrefixKind, { address, network }: Place): Prefix {
  return kind === 'network' ? hostPrefix(address) : network;
}

function allocationStep(object: JsonMap, free: readonly Dumped[]): readonly AdoptionStep[] {
  const owner = ownerOf(object, 'IPAllocation');
  const shown = placeOf(mapOf(object['status'])['prefix']) ?? free.find(({ name }) => name === owner.name);
  if (shown === undefined) return [];
  const step = { role: 'allocation', owner, door: 'networks', since: sinceOf(object) } as const;
  const read = readAllocation(object);
  if (!read.ok) {
    const kind = mapOf(object['spec'])['kind'];
    const known = isPrefixKind(kind) ? kind : 'network';
    return [{ ...step, kind: known, block: blockOf(known, shown), labels: {} }];
  }
  const { value: request } = read;
  const { kind, labels, digest } = request;
  const block = blockOf(kind, shown);
  if (request.form === 'dynamic') return [{ ...step, kind, block, labels, request: digest }];
  const isAsked = blockOf(kind, { address: request.address, network: request.block }).equals(block);
  return [{ ...step, kind, block, labels, isStatic: true, ...(isAsked ? { request: digest } : {}) }];
}

// What no object asks for may belong to a client of the gRPC API, which cannot be asked; it keeps its place.
function clientStep({ namespace }: AdoptedObjects['instance'], dumped: Dumped): readonly AdoptionStep[] {
  const { labels, name, network } = dumped;
  const kind = labels[NEPHIO.prefixKind];
  if (!isPrefixKind(kind) || kind === 'aggregate') return [];
  const isWholeNetwork = kind === 'network' && network.length < familyBits(network.family);
  if (isWholeNetwork) return [];
  const owner = clientOwner({ namespace, name });
  const key = clientKey({ namespace, name });
  return [{ role: 'allocation', kind, owner, key, door: 'grpc', block: network, labels: {}, since: '' }];
}

const RANK = { prefix: 0, host: 1, allocation: 2 } as const;

function compareSteps(a: AdoptionStep, b: AdoptionStep): number {
  if (a.role !== b.role) return RANK[a.role] - RANK[b.role];
  if (a.role === 'prefix') {
    const isAggregate = (step: AdoptionStep): number => (step.kind === 'aggregate' ? 0 : 1);
    return isAggregate(a) - isAggregate(b) || a.block.length - b.block.length || a.block.compareTo(b.block);
  }
  const ofClients = (step: AdoptionStep): number => (step.door === 'grpc' ? 1 : 0);
  return ofClients(a) - ofClients(b) || byText(a.since, b.since) || byText(a.owner.name, b.owner.name);
}

/**
 * Orders what objects show as theirs, so that each is given back before anything new is given: aggregates, other prefixes, hosts of
 * networks, then what was given out, the oldest first.
 *
 * @param objects - of one NetworkInstance
 * @returns one step for each place
 */
export function adoptionOrder(objects: AdoptedObjects): readonly AdoptionStep[] {
  const dumped = readDump(objects.dump);
  const prefixes = objects.prefixes.flatMap((object) => prefixStep(object, dumped));
  const ofPrefix = (each: Dumped): boolean =>
    prefixes.some(({ owner, block }) => owner.name === each.name && block.contains(each.address));
  const free = dumped.filter((each) => !ofPrefix(each));
  const allocations = objects.allocations.flatMap((object) => allocationStep(object, free));
  const names = new Set(
    [...objects.prefixes, ...objects.allocations].map((object) => textOf(metadataOf(object)['name'])),
  );
  const clients = free.filter(({ name }) => !names.has(name)).flatMap((each) => clientStep(objects.instance, each));
  return [...prefixes, ...allocations, ...clients].sort(compareSteps);
}
