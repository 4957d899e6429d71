import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import { METALLB_API } from '../../operator/contract/group';

import type { AdvertisedProps, BgpAdvertisementProps, L2AdvertisementProps } from './metallb-props';

/** The advertisements that a pool gets. */
export interface ChosenAdvertisements {
  readonly l2: readonly L2AdvertisementProps[];
  readonly bgp: readonly BgpAdvertisementProps[];
}

/**
 * Decides which advertisements a pool gets.
 *
 * @param props - what its author said
 * @returns those that are listed, or one without settings where the word alone was given
 */
export function chosenAdvertisements({ advertise, l2, bgp }: AdvertisedProps): ChosenAdvertisements {
  const word = advertise ?? (bgp === undefined ? 'l2' : l2 === undefined ? 'bgp' : 'both');
  return {
    l2: word === 'l2' || word === 'both' ? (l2 ?? [{}]) : [],
    bgp: word === 'bgp' || word === 'both' ? (bgp ?? [{}]) : [],
  };
}

/** A pool that is told to the network. */
export interface AdvertisedPool {
  readonly pool: string;
  readonly namespace: string;
  readonly props: AdvertisedProps;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * Declares the advertisements of one pool. The first of a kind carries the name of the pool, further ones a number behind
 * a dot, which no zone can have in its name.
 *
 * @param scope - construct that becomes their parent
 * @param of - pool and settings
 * @returns the objects, L2 first
 */
export function declareAdvertisements(scope: Construct, of: AdvertisedPool): readonly ApiObject[] {
  const { l2, bgp } = chosenAdvertisements(of.props);
  const declare = (kind: string, settings: object, i: number): ApiObject =>
    new ApiObject(scope, `${kind}${i === 0 ? '' : String(i + 1)}`, {
      apiVersion: METALLB_API,
      kind,
      metadata: {
        name: i === 0 ? of.pool : `${of.pool}.${String(i + 1)}`,
        namespace: of.namespace,
        ...(of.labels === undefined ? {} : { labels: of.labels }),
        ...(of.annotations === undefined ? {} : { annotations: of.annotations }),
      },
      spec: { ipAddressPools: [of.pool], ...settings },
    });
  return [
    ...l2.map((settings, i) => declare('L2Advertisement', settings, i)),
    ...bgp.map((settings, i) => declare('BGPAdvertisement', settings, i)),
  ];
}
