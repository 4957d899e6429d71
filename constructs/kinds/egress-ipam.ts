import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';

import { EGRESS_IPAM, egressIpamProblems } from '../../operator/contract/kinds/egress-ipam';
import type { JsonMap } from '../../operator/contract/loose-json';
import type { Refusal } from '../../operator/errors/outcome';
import { placeFor } from '../props-kit/place';
import { readProps } from '../props-kit/rule';
import { declareObjects, judgedProps, kindManifest, type KindManifest } from './declared-object';
import { egressClashes, registerEgressIpam, type EgressIpamOfApp } from './egress-clashes';
import type { EgressIpamProps, OptedInNamespace } from './egress-ipam-props';
import { EGRESS_IPAM_PROPS } from './egress-ipam-rules';
import { optInAnnotations, optInProblems, registerOptIn, type EgressWish, type OptInOfApp } from './egress-opt-ins';

/**
 * Addresses that namespaces send their traffic from, one of each CIDR. The CRD is `cdk8s-ipam/crds/egressipams.redhatcop.redhat.io.yaml`.
 *
 * Content that the API server would refuse or silently drop, CIDRs without an address that can be given out, and CIDRs that overlap another
 * EgressIPAM of the app, fail at synth, with the path of the field and of this construct.
 */
export class EgressIpam extends Construct {
  /** Name of the object, for the annotation of namespaces. */
  readonly name: string;
  /** The object itself, for dependencies and patches. */
  readonly egressIpam: ApiObject;
  readonly #cluster: string | undefined;

  /**
   * Declares the EgressIPAM.
   *
   * @param scope - a chart, or a construct inside of one
   * @param id - id within `scope`; the default of `props.name`
   * @param props - name, CIDRs and nodes
   */
  constructor(scope: Construct, id: string, props: EgressIpamProps) {
    super(placeFor(scope, id, 'egress/invalid'), id);
    const { valid, problems, isSound } = judgedProps(readProps(EGRESS_IPAM_PROPS, props, 'egress/invalid'), id, {
      code: 'egress/invalid',
      problemsOf: (given) => egressIpamProblems(manifestOf(given, given.name ?? id)),
    });
    this.name = valid.name ?? id;
    this.#cluster = valid.cluster;
    const mine: EgressIpamOfApp = { construct: this, props: { ...valid, name: this.name } };
    registerEgressIpam(mine, isSound);
    // those before it are known already, and synth validates each construct twice
    let clashes: readonly Refusal[] | undefined;
    const allProblems = (): readonly Refusal[] => {
      clashes ??= isSound ? egressClashes(mine) : [];
      return [...problems, ...clashes];
    };
    [this.egressIpam] = declareObjects(
      this,
      { Resource: manifestOf(valid, this.name) },
      { cluster: valid.cluster, code: 'egress/invalid', problems: allProblems },
    ) as [ApiObject];
  }

  /**
   * Opts a namespace in: it is given one address of each CIDR. A list of addresses that the operator would refuse fails at synth.
   *
   * @param namespace - gets the annotations
   * @param wish - addresses that it asks for; the lowest free ones by default
   */
  optIn(namespace: OptedInNamespace, wish: EgressWish = {}): void {
    const { metadata } = namespace;
    for (const [key, value] of Object.entries(optInAnnotations(this.name, wish))) metadata.addAnnotation(key, value);
    const mine: OptInOfApp = { construct: this, metadata: () => metadata.toJson() as JsonMap, cluster: this.#cluster };
    registerOptIn(mine);
    this.node.addValidation({ validate: () => optInProblems(mine).map(({ message }) => message) });
  }
}

const manifestOf = (props: EgressIpamProps, name: string): KindManifest =>
  kindManifest({ kind: EGRESS_IPAM, name, props, spec: props.spec });
