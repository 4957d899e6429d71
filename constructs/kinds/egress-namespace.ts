import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';

import { NAMESPACE } from '../../operator/contract/egress';
import { metadataOf, type JsonMap } from '../../operator/contract/loose-json';
import { placeFor } from '../props-kit/place';
import { readProps } from '../props-kit/rule';
import { declareObjects, judgedProps, type KindManifest } from './declared-object';
import type { EgressNamespaceProps } from './egress-namespace-props';
import { EGRESS_NAMESPACE_PROPS } from './egress-namespace-rules';
import { optInAnnotations, optInProblems, registerOptIn, type OptInOfApp } from './egress-opt-ins';

/**
 * A Namespace whose traffic leaves the cluster with addresses of an {@link EgressIpam}, one of each CIDR.
 *
 * An EgressIPAM that the app does not declare beside others, and a list of addresses that the operator would refuse, fail at synth.
 */
export class EgressNamespace extends Construct {
  /** Name of the object. */
  readonly name: string;
  /** The object itself, for dependencies and patches. */
  readonly namespace: ApiObject;

  /**
   * Declares the Namespace.
   *
   * @param scope - a chart, or a construct inside of one
   * @param id - id within `scope`; the default of `props.name`
   * @param props - EgressIPAM and addresses
   */
  constructor(scope: Construct, id: string, props: EgressNamespaceProps) {
    super(placeFor(scope, id, 'egress/invalid'), id);
    const { valid, problems, isSound } = judgedProps(readProps(EGRESS_NAMESPACE_PROPS, props, 'egress/invalid'), id, {
      code: 'egress/invalid',
      problemsOf: () => [],
    });
    this.name = valid.name ?? id;
    const { cluster } = valid;
    const mine: OptInOfApp = {
      construct: this,
      metadata: () => metadataOf(this.namespace.toJson() as JsonMap),
      cluster,
    };
    [this.namespace] = declareObjects(
      this,
      { Resource: manifestOf(valid, this.name) },
      { cluster, code: 'egress/invalid', problems: () => [...problems, ...(isSound ? optInProblems(mine) : [])] },
    ) as [ApiObject];
    if (isSound) registerOptIn(mine);
  }
}

function manifestOf({ egressIpam, labels, annotations, ...wish }: EgressNamespaceProps, name: string): KindManifest {
  return {
    ...NAMESPACE,
    metadata: {
      name,
      ...(labels === undefined ? {} : { labels: { ...labels } }),
      annotations: { ...annotations, ...optInAnnotations(egressIpam, wish) },
    },
    spec: {},
  };
}
