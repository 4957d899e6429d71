import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';

import { IP_PREFIX, ipPrefixProblems } from '../../operator/contract/kinds/ip-prefix';
import { placeFor } from '../props-kit/place';
import { readProps } from '../props-kit/rule';
import { networkProblems, registerPrefix } from './app-networks';
import type { IpPrefixProps } from './ip-prefix-props';
import { declareObjects, judgedProps, kindManifest, type KindManifest } from './declared-object';
import { IP_PREFIX_PROPS } from './nephio-object-rules';

/**
 * A prefix of a NetworkInstance: an aggregate, a pool, loopback addresses, or a network with an address inside of it. The CRD is
 * `cdk8s-ipam/crds/ipprefixes.ipam.nephio.org.yaml`.
 *
 * Content that the API server would refuse or silently drop, and what the operator would refuse beside the other prefixes of the app, fails at
 * synth: overlaps, wrong parents, second gateways and names that are taken.
 */
export class IpPrefix extends Construct {
  /** Name of the object. */
  readonly name: string;
  /** The object itself, for dependencies and patches. */
  readonly prefix: ApiObject;

  /**
   * Declares the prefix.
   *
   * @param scope - a chart, or a construct inside of one
   * @param id - id within `scope`; the default of `props.name`
   * @param props - prefix, kind and instance
   */
  constructor(scope: Construct, id: string, props: IpPrefixProps) {
    super(placeFor(scope, id, 'prefix/invalid'), id);
    const { valid, problems, isSound } = judgedProps(readProps(IP_PREFIX_PROPS, props, 'prefix/invalid'), id, {
      code: 'prefix/invalid',
      problemsOf: (given) => ipPrefixProblems(manifestOf(given, given.name ?? id)),
    });
    this.name = valid.name ?? id;
    const { cluster } = valid;
    [this.prefix] = declareObjects(
      this,
      { Resource: manifestOf(valid, this.name) },
      { cluster, code: 'prefix/invalid', problems: () => [...problems, ...networkProblems(this)] },
    ) as [ApiObject];
    if (isSound) registerPrefix({ construct: this, object: this.prefix, cluster });
  }
}

const manifestOf = (props: IpPrefixProps, name: string): KindManifest =>
  kindManifest({ kind: IP_PREFIX, name, props, spec: props.spec });
