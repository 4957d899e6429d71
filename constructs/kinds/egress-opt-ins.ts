import type { IConstruct } from 'constructs';

import type { Address } from '../../operator/addressing/address';
import { PrefixSet } from '../../operator/addressing/prefix-set';
import { EGRESS_KEYS } from '../../operator/contract/egress';
import { EGRESS_IPAM } from '../../operator/contract/kinds/egress-ipam';
import { mapOf, metadataOf, textOf, type JsonMap } from '../../operator/contract/loose-json';
import { quoteValue } from '../../operator/contract/quote';
import type { Refusal } from '../../operator/errors/outcome';
import { decideNamespace, planEgress, readNamespace } from '../../operator/rules/egress';
import type { EgressPlan, EgressUse } from '../../operator/rules/egress/types';
import { AppRegistry } from '../app/app-registry';
import { mayShareCluster } from '../app/clusters';
import { isLate } from '../props-kit/values';
import { kindManifest } from './declared-object';
import { egressIpamsFor } from './egress-clashes';

/** A Namespace of an app that opts in to an EgressIPAM. */
export interface OptInOfApp {
  /** The construct that answers for it. */
  readonly construct: IConstruct;
  /** Reads its metadata as synth writes them; other constructs may add labels until then. */
  readonly metadata: () => JsonMap;
  readonly cluster: string | undefined;
}

/** Annotations by which a namespace opts in, with the addresses that it wishes for. */
export interface EgressWish {
  /**
   * Addresses that the namespace asks for, one of each CIDR of the EgressIPAM.
   *
   * @default - the lowest free one of each CIDR
   */
  readonly addresses?: readonly string[];
  /**
   * Whether it may have addresses that the EgressIPAM reserves.
   *
   * @default false
   */
  readonly allowReserved?: boolean;
}

const OPT_INS = new AppRegistry<OptInOfApp>();

/**
 * Writes the annotations of a namespace.
 *
 * @param egressIpam - name of the EgressIPAM
 * @param wish - addresses, if any
 * @returns the annotations that the operator reads
 */
export const optInAnnotations = (
  egressIpam: string,
  { addresses = [], allowReserved = false }: EgressWish,
): Readonly<Record<string, string>> => ({
  [EGRESS_KEYS.egressIpam]: egressIpam,
  ...(addresses.length === 0 ? {} : { [EGRESS_KEYS.addresses]: addresses.join(',') }),
  ...(allowReserved ? { [EGRESS_KEYS.allowReserved]: 'true' } : {}),
});

/**
 * Makes a namespace that opts in known to the others of its app.
 *
 * @param optIn - with an EgressIPAM in its annotations
 */
export function registerOptIn(optIn: OptInOfApp): void {
  OPT_INS.register(optIn);
}

/**
 * Judges a namespace as the operator does, beside the EgressIPAMs and the other namespaces of its app. Where the app declares no EgressIPAM
 * of the cluster, its name is not looked at.
 *
 * @param optIn - a registered one
 * @returns at most one refusal
 */
export function optInProblems(optIn: OptInOfApp): readonly Refusal[] {
  const { construct, cluster } = optIn;
  const namespace = readNamespace({ metadata: metadataFor(optIn) });
  const all = egressIpamsFor(construct, cluster);
  const { egressIpam = '', list } = namespace;
  const mine = all.find(({ props }) => props.name === egressIpam);
  if (mine === undefined) {
    if (list.kind === 'malformed') return [refusalOf(list.message)];
    const names = all.map(({ props }) => props.name).join(', ');
    return all.length === 0
      ? []
      : [refusalOf(`EgressIPAM ${quoteValue(egressIpam)} is none of the EgressIPAMs of this app (${names})`)];
  }
  const manifest = kindManifest({
    kind: EGRESS_IPAM,
    name: mine.props.name,
    props: {},
    spec: specFor(optIn, mine.props.spec),
  });
  const [plan] = planEgress([manifest], () => PrefixSet.EMPTY);
  const { problem } = decideNamespace(
    { namespace, held: [] },
    {
      plan: () => plan,
      useAt: (network, address) => useAt(optIn, network, address),
      formerOf: () => [],
      usesProblem: () => undefined,
    },
  );
  // an EgressIPAM that is wrong itself is refused at its own place
  return problem === undefined || plan?.readiness.ok !== true ? [] : [refusalOf(problem.message)];
}

const refusalOf = (message: string): Refusal => ({ code: 'egress/invalid', field: 'metadata.annotations', message });

const isLateMap = (map: unknown): boolean => Object.values(mapOf(map)).some(isLate);

// Labels that are known after synth only may be any.
function specFor(optIn: OptInOfApp, spec: object): object {
  if (!isLateMap(optIn.metadata()['labels'])) return spec;
  const { namespaceSelector: _unknown, ...rest } = spec as { readonly namespaceSelector?: unknown };
  return rest;
}

const metadataFor = (optIn: OptInOfApp): JsonMap => metadataOf({ metadata: optIn.metadata() });

// Each pair is reported once, at the namespace that was declared later.
function useAt(optIn: OptInOfApp, network: string, address: Address): EgressUse {
  const all = OPT_INS.all(optIn.construct);
  const other = all
    .slice(0, all.indexOf(optIn))
    .filter(({ cluster }) => mayShareCluster(cluster, optIn.cluster))
    .find((each) => lists(each, network, address));
  if (other === undefined) return { kind: 'free' };
  return { kind: 'held', holder: `Namespace ${textOf(other.metadata()['name'])} [${other.construct.node.path}]` };
}

function lists(other: OptInOfApp, network: string, address: Address): boolean {
  const { list, egressIpam } = readNamespace({ metadata: metadataFor(other) });
  const ipam = egressIpamsFor(other.construct, other.cluster).find(({ props }) => props.name === egressIpam);
  const itsNetwork: EgressPlan['network'] = ipam?.props.spec.network ?? 'default';
  return list.kind === 'listed' && itsNetwork === network && list.addresses.some((each) => each.equals(address));
}
