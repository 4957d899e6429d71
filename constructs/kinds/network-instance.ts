import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';

import { NETWORK_INSTANCE, networkInstanceProblems } from '../../operator/contract/kinds/network-instance';
import { NETWORK_ANNOTATIONS } from '../../operator/contract/nephio';
import { placeFor } from '../props-kit/place';
import { readProps } from '../props-kit/rule';
import { registerInstance } from './app-networks';
import { declareObjects, judgedProps, kindManifest, type KindManifest } from './declared-object';
import type { NetworkInstanceProps } from './network-instance-props';
import { NETWORK_INSTANCE_PROPS } from './nephio-object-rules';

/**
 * A routing instance: its prefixes do not overlap, and those of another instance may be the same. The CRD is
 * `cdk8s-ipam/crds/networkinstances.ipam.nephio.org.yaml`.
 */
export class NetworkInstance extends Construct {
  /** Name of the instance, for `spec.networkInstance` of prefixes and the label `nephio.org/network-instance` of selectors. */
  readonly name: string;
  /** The object itself, for dependencies and patches. */
  readonly instance: ApiObject;

  /**
   * Declares the instance.
   *
   * @param scope - a chart, or a construct inside of one
   * @param id - id within `scope`; the default of `props.name`
   * @param props - name, and how prefixes are compared
   */
  constructor(scope: Construct, id: string, props: NetworkInstanceProps = {}) {
    super(placeFor(scope, id, 'instance/invalid'), id);
    const { valid, problems, isSound } = judgedProps(readProps(NETWORK_INSTANCE_PROPS, props, 'instance/invalid'), id, {
      code: 'instance/invalid',
      problemsOf: (given) => networkInstanceProblems(manifestOf(given, given.name ?? id)),
    });
    this.name = valid.name ?? id;
    const { cluster } = valid;
    [this.instance] = declareObjects(
      this,
      { Resource: manifestOf(valid, this.name) },
      { cluster, code: 'instance/invalid', problems: () => problems },
    ) as [ApiObject];
    if (isSound) registerInstance({ construct: this, object: this.instance, cluster });
  }
}

function manifestOf(props: NetworkInstanceProps, name: string): KindManifest {
  const { network, parents, annotations } = props;
  const own = {
    ...(network === undefined ? {} : { [NETWORK_ANNOTATIONS.network]: network }),
    ...(parents === undefined ? {} : { [NETWORK_ANNOTATIONS.parents]: parents }),
  };
  return kindManifest({
    kind: NETWORK_INSTANCE,
    name,
    props: { ...props, annotations: { ...annotations, ...own } },
    spec: {},
  });
}
