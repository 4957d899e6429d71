import { familyBits, type Family } from '../../addressing/address';
import type { LabelSelector } from '../../contract/label-selector';
import { mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { NEPHIO } from '../../contract/nephio';
import type { PrefixKind } from '../../contract/networks/entry';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import { requestDigest } from './digest';
import { readCidr, writtenText, type WrittenPrefix } from './read-cidr';
import { readLabels } from './read-labels';
import { ownerOf, readKind } from './read-object';
import { familyFor, readSelector, valuesFor } from './selector';
import type { AllocationRequest } from './types';

/** Fields of a request beside its selector. */
interface Wanted {
  readonly kind: PrefixKind;
  readonly family: Family | undefined;
  readonly length: number | undefined;
  readonly written: WrittenPrefix | undefined;
}

const LENGTH = 'spec.prefixLength';

function lengthRefused(code: 'request/length' | 'request/length-not-allowed', length: unknown, why: string) {
  const value = typeof length === 'number' ? String(length) : JSON.stringify(length);
  return refuse(code, `${LENGTH}: ${value} ${why}`, { field: LENGTH, value });
}

// Zero of a stored object or of gRPC stands for none.
function readLength(spec: JsonMap, kind: PrefixKind, family: Family | undefined): Outcome<number | undefined> {
  const length = spec['prefixLength'] ?? 0;
  if (length === 0) return accept(undefined);
  const most = familyBits(family ?? 6);
  if (typeof length !== 'number' || !Number.isInteger(length) || length < 1 || length > most) {
    return lengthRefused('request/length', length, `is no length; 1 to ${String(most)} are allowed`);
  }
  if (kind === 'network') {
    return lengthRefused('request/length-not-allowed', length, 'must be left out, kind network gives single addresses');
  }
  if (spec['prefix'] === undefined) return accept(length);
  return lengthRefused('request/length-not-allowed', length, 'must be left out beside spec.prefix, which has a length');
}

function readFamily(spec: JsonMap, selector: LabelSelector): Outcome<Family | undefined> {
  const text = spec['addressFamily'];
  const selected = familyFor(selector);
  if (text === undefined || text === null || text === '' || !selected.ok) return selected;
  const family = text === 'ipv4' ? 4 : text === 'ipv6' ? 6 : undefined;
  const value = textOf(text);
  if (family === undefined) {
    const message = `spec.addressFamily: "${value}" is no family; ipv4 and ipv6 are allowed`;
    return refuse('request/invalid', message, { field: 'spec.addressFamily', value });
  }
  if (selected.value === undefined || selected.value === family) return accept(family);
  const message = `spec.selector: ${NEPHIO.addressFamily} contradicts spec.addressFamily "${value}"; leave one of them out`;
  return refuse('selector/invalid', message, { field: 'spec.selector', value });
}

function readWanted(spec: JsonMap, kind: PrefixKind, selector: LabelSelector): Outcome<Wanted> {
  const family = readFamily(spec, selector);
  if (!family.ok) return family;
  const length = readLength(spec, kind, family.value);
  if (!length.ok) return length;
  if (spec['prefix'] === undefined || spec['prefix'] === '') {
    if (kind !== 'aggregate') return accept({ kind, family: family.value, length: length.value, written: undefined });
    const message = 'spec.prefix: is missing; an aggregate is never chosen, name its prefix';
    return refuse('request/aggregate-dynamic', message, { field: 'spec.prefix' });
  }
  const written = readCidr(kind, textOf(spec['prefix']));
  if (!written.ok) return written;
  if (family.value === undefined || family.value === written.value.block.family) {
    return accept({ kind, family: family.value, length: undefined, written: written.value });
  }
  const value = textOf(spec['prefix']);
  const message = `spec.prefix: "${value}" is not of the family that is asked for, IPv${String(family.value)}`;
  return refuse('request/invalid', message, { field: 'spec.prefix', value });
}

const NETWORK_KEYS = [NEPHIO.networkName, NEPHIO.network, NEPHIO.prefixName];

function readInstanceName(selector: LabelSelector): Outcome<string> {
  const names = valuesFor(selector, NEPHIO.networkInstance) ?? [];
  const [name] = names;
  if (name !== undefined && name !== '' && names.length === 1) return accept(name);
  const message = `spec.selector: names ${names.length > 1 ? 'several NetworkInstances' : 'no NetworkInstance'}; the label ${NEPHIO.networkInstance} must name one`;
  return refuse('instance/missing', message, { field: 'spec.selector' });
}

/**
 * Reads an IPAllocation; what no API server would take is told and never thrown.
 *
 * @param object - as the API server has it
 * @returns the request; or the first thing that is wrong
 */
export function readAllocation(object: JsonMap): Outcome<AllocationRequest> {
  const spec = mapOf(object['spec']);
  const kind = readKind(spec['kind'], 'request/invalid');
  if (!kind.ok) return kind;
  const selector = readSelector(spec['selector']);
  if (!selector.ok) return selector;
  const instanceName = readInstanceName(selector.value);
  if (!instanceName.ok) return instanceName;
  const wanted = readWanted(spec, kind.value, selector.value);
  if (!wanted.ok) return wanted;
  if (kind.value === 'network' && NETWORK_KEYS.every((key) => valuesFor(selector.value, key) === undefined)) {
    const message = `spec.selector: names no network; kind network needs one of the labels ${NETWORK_KEYS.join(', ')}`;
    return refuse('selector/no-network', message, { field: 'spec.selector' });
  }
  return request(object, { selector: selector.value, instanceName: instanceName.value }, wanted.value);
}

function request(
  object: JsonMap,
  named: Pick<AllocationRequest, 'selector' | 'instanceName'>,
  { kind, family, length, written }: Wanted,
): Outcome<AllocationRequest> {
  const owner = ownerOf(object, 'IPAllocation');
  const known = {
    [NEPHIO.networkInstance]: named.instanceName,
    [NEPHIO.prefixKind]: kind,
    [NEPHIO.prefixName]: owner.name,
    [NEPHIO.allocationName]: owner.name,
    [NEPHIO.origin]: 'allocation',
  };
  const labels = readLabels(metadataOf(object), known);
  if (!labels.ok) return labels;
  const wish = written === undefined ? undefined : writtenText(written);
  const parts = {
    ...named,
    owner,
    kind,
    labels: labels.value.labels,
    door: 'networks' as const,
    digest: requestDigest([kind, family, wish, length], named.selector),
  };
  if (written !== undefined) return accept({ ...parts, form: 'static', ...written });
  return accept({
    ...parts,
    form: 'dynamic',
    ...(family === undefined ? {} : { family }),
    ...(length === undefined ? {} : { length }),
  });
}
