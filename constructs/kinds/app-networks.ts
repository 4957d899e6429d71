import type { ApiObject } from 'cdk8s';
import type { IConstruct } from 'constructs';

import { mapOf, metadataOf, textOf, type JsonMap } from '../../operator/contract/loose-json';
import { NETWORK_ANNOTATIONS } from '../../operator/contract/nephio';
import type { Refusal } from '../../operator/errors/outcome';
import { readAllocation, readInstance, readPrefix } from '../../operator/rules/networks';
import type { Instance } from '../../operator/rules/networks/types';
import { AppRegistry } from '../app/app-registry';
import { mayShareCluster } from '../app/clusters';
import { isLate } from '../props-kit/values';
import { judgeInstance, type Judged } from './network-judgement';

/** An object of `ipam.nephio.org` as the others of its app see it. */
interface ObjectOfNetworks {
  /** The construct that answers for it. */
  readonly construct: IConstruct;
  readonly object: ApiObject;
  readonly cluster: string | undefined;
}

interface Member extends ObjectOfNetworks {
  readonly of: 'prefix' | 'allocation';
}

const INSTANCES = new AppRegistry<ObjectOfNetworks>();
const MEMBERS = new AppRegistry<Member>();

type Refusals = ReadonlyMap<IConstruct, readonly Refusal[]>;
/** Number of objects of an app. */
const COUNTS = new WeakMap<IConstruct, number>();
/** Refusals of an app while it is validated, which nothing interrupts, as long as no object is declared. */
const JUDGED = new WeakMap<IConstruct, { readonly count: number; readonly refusals: Refusals }>();

const countOf = (root: IConstruct): number => COUNTS.get(root) ?? 0;
const counted = ({ construct: { node } }: ObjectOfNetworks): void => void COUNTS.set(node.root, countOf(node.root) + 1);

/**
 * Makes a NetworkInstance known to the prefixes of its app.
 *
 * @param instance - with a sound manifest
 */
export function registerInstance(instance: ObjectOfNetworks): void {
  INSTANCES.register(instance);
  counted(instance);
}

/**
 * Makes a prefix known to the others of its instance.
 *
 * @param prefix - with a sound manifest
 */
export function registerPrefix(prefix: ObjectOfNetworks): void {
  MEMBERS.register({ ...prefix, of: 'prefix' });
  counted(prefix);
}

/**
 * Makes an allocation known to the prefixes of its instance.
 *
 * @param allocation - with a sound manifest
 */
export function registerAllocation(allocation: ObjectOfNetworks): void {
  MEMBERS.register({ ...allocation, of: 'allocation' });
  counted(allocation);
}

/**
 * Tells what the operator would refuse of a construct beside the other objects of its app.
 *
 * @param construct - of registered objects
 * @returns every refusal
 */
export function networkProblems(construct: IConstruct): readonly Refusal[] {
  const { root } = construct.node;
  const count = countOf(root);
  let judged = JUDGED.get(root);
  if (judged?.count !== count) {
    judged = { count, refusals: judgeApp(root) };
    JUDGED.set(root, judged);
    queueMicrotask(() => JUDGED.delete(root));
  }
  return judged.refusals.get(construct) ?? [];
}

// Labels that are known after synth only cannot be reserved ones.
function manifestOf({ object }: ObjectOfNetworks): JsonMap {
  const manifest = object.toJson() as JsonMap;
  const metadata = metadataOf(manifest);
  const labels = Object.entries(mapOf(metadata['labels'])).filter(([, value]) => !isLate(value));
  return { ...manifest, metadata: { ...metadata, labels: Object.fromEntries(labels) } };
}

type Read = Judged<Member> & { readonly instanceName: string };

function readMember(member: Member): Read | Refusal {
  const manifest = manifestOf(member);
  if (member.of === 'allocation') {
    const read = readAllocation(manifest);
    if (!read.ok) return read.refusal;
    const { instanceName } = read.value;
    return { member, read: { of: 'allocation', request: read.value }, instanceName };
  }
  const read = readPrefix(manifest);
  if (!read.ok) return read.refusal;
  const instanceName = textOf(mapOf(manifest['spec'])['networkInstance']);
  return { member, read: { of: 'prefix', request: read.value }, instanceName };
}

function judgeApp(root: IConstruct): Refusals {
  const found = new Map<IConstruct, Refusal[]>();
  const add = ({ construct }: Member, refusal: Refusal): void => {
    const all = found.get(construct) ?? [];
    if (!all.some(({ message }) => message === refusal.message)) found.set(construct, [...all, refusal]);
  };
  const groups = new Map<string, Read[]>();
  for (const member of MEMBERS.all(root)) {
    const read = readMember(member);
    if ('code' in read) add(member, read);
    else {
      const key = JSON.stringify([member.object.metadata.namespace ?? '', read.instanceName]);
      groups.set(key, [...(groups.get(key) ?? []), read]);
    }
  }
  for (const all of groups.values()) for (const [member, refusal] of judgeGroup(root, all)) add(member, refusal);
  return found;
}

// Once for each cluster that is named; what names none is for all of them.
function judgeGroup(root: IConstruct, all: readonly Read[]): readonly (readonly [Member, Refusal])[] {
  const named = new Set(all.flatMap(({ member: { cluster } }) => cluster ?? []));
  const clusters = named.size === 0 ? [undefined] : [...named];
  return clusters.flatMap((cluster) => {
    const inCluster = all.filter(({ member }) => mayShareCluster(member.cluster, cluster));
    const [first] = inCluster;
    return first === undefined ? [] : judgeInstance(instanceOf(root, first, cluster), inCluster);
  });
}

// Prefixes may be declared elsewhere too, so that one needs a parent is only sure where the app has the instance and its aggregates.
function instanceOf(root: IConstruct, { member, instanceName }: Read, cluster: string | undefined): Instance {
  const namespace = member.object.metadata.namespace ?? '';
  const declared = INSTANCES.all(root).find(
    ({ object, cluster: of }) =>
      object.name === instanceName && (object.metadata.namespace ?? '') === namespace && mayShareCluster(of, cluster),
  );
  if (declared !== undefined) return readInstance(manifestOf(declared));
  return readInstance({
    metadata: { namespace, name: instanceName, annotations: { [NETWORK_ANNOTATIONS.parents]: 'free' } },
  });
}
