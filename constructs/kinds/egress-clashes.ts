import type { IConstruct } from 'constructs';

import { rangeOfPrefix, type Range } from '../../operator/addressing/range';
import { poolOf } from '../../operator/contract/egress-pool';
import type { Refusal } from '../../operator/errors/outcome';
import { AppRegistry } from '../app/app-registry';
import { mayShareCluster } from '../app/clusters';
import type { EgressIpamProps } from './egress-ipam-props';

/** An EgressIPAM as the others of its app see it. */
export interface EgressIpamOfApp {
  readonly construct: IConstruct;
  readonly props: EgressIpamProps & { readonly name: string };
}

const EGRESS_IPAMS = new AppRegistry<EgressIpamOfApp>();

const textsOf = ({ spec }: EgressIpamProps): readonly string[] => (spec.cidrAssignments ?? []).map(({ CIDR }) => CIDR);

const rangesOf = (props: EgressIpamProps): readonly Range[] =>
  textsOf(props).flatMap((text) => {
    const pool = poolOf(text);
    return pool === undefined ? [] : [rangeOfPrefix(pool)];
  });

const spaceOf = ({ props }: EgressIpamOfApp) => ({ of: props.spec.network ?? 'default', ranges: rangesOf(props) });

/**
 * Makes an EgressIPAM known to the others of its app, whatever chart they are in.
 *
 * @param mine - any
 * @param isSound - whether its spec is valid, so that its CIDRs can be compared
 */
export function registerEgressIpam(mine: EgressIpamOfApp, isSound: boolean): void {
  EGRESS_IPAMS.register(mine, isSound ? { space: spaceOf(mine) } : {});
}

/**
 * Compares an EgressIPAM with those that were declared before it, so that each pair is reported once.
 *
 * @param mine - a registered EgressIPAM with a valid spec
 * @returns at most one refusal, both places named by their construct paths
 */
export function egressClashes(mine: EgressIpamOfApp): readonly Refusal[] {
  const { spec, cluster, name } = mine.props;
  if (spec.allowOverlap === true) return [];
  const other = EGRESS_IPAMS.earlierIn(mine, spaceOf(mine)).find(
    ({ props }) => props.name !== name && props.spec.allowOverlap !== true && mayShareCluster(props.cluster, cluster),
  );
  if (other === undefined) return [];
  const [mineText = '', otherText = ''] = [mine, other].map(({ props }) => textsOf(props).join(', '));
  const place = `EgressIPAM "${other.props.name}" [${other.construct.node.path}]`;
  const message = `spec.cidrAssignments: "${mineText}" overlaps "${otherText}" of ${place}; spec.allowOverlap: true of one of them allows it`;
  return [{ code: 'egress/invalid', field: 'spec.cidrAssignments', value: mineText, message }];
}

/**
 * Lists the EgressIPAMs of an app that a namespace may opt in to.
 *
 * @param construct - anywhere in the app
 * @param cluster - of the namespace
 * @returns those of its cluster, in the order of their declaration
 */
export const egressIpamsFor = (construct: IConstruct, cluster: string | undefined): readonly EgressIpamOfApp[] =>
  EGRESS_IPAMS.all(construct).filter(({ props }) => mayShareCluster(props.cluster, cluster));
