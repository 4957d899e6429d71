import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';

import { IP_GROUP, ipGroupProblems } from '../../operator/contract/kinds/ip-group';
import type { Refusal } from '../../operator/errors/outcome';
import { placeFor } from '../props-kit/place';
import { readProps } from '../props-kit/rule';
import { declareObjects, judgedProps, kindManifest, type KindManifest } from './declared-object';
import { groupClashes, registerGroup, type GroupOfApp } from './group-clashes';
import type { IpGroupProps } from './ip-group-props';
import { IP_GROUP_PROPS } from './ip-group-rules';

/**
 * Addresses of which Services of type LoadBalancer are given one each. The CRD is `cdk8s-ipam/crds/ipgroups.paas.org.yaml`.
 *
 * Content that the API server would refuse or silently drop, and a segment that overlaps another group of the app, fails at synth, with the
 * path of the field and of this construct.
 */
export class IpGroup extends Construct {
  /** Name of the group, for the annotation `paas.org/ipgroup` of Services. */
  readonly name: string;
  /** The object itself, for dependencies and patches. */
  readonly group: ApiObject;

  /**
   * Declares the group.
   *
   * @param scope - a chart, or a construct inside of one
   * @param id - id within `scope`; the default of `props.name`
   * @param props - name and addresses
   */
  constructor(scope: Construct, id: string, props: IpGroupProps) {
    super(placeFor(scope, id, 'group/invalid'), id);
    const {
      valid: given,
      problems,
      isSound,
    } = judgedProps(readProps(IP_GROUP_PROPS, props, 'group/invalid'), id, {
      code: 'group/invalid',
      problemsOf: (of) => ipGroupProblems(manifestOf(of, of.name ?? id)),
    });
    this.name = given.name ?? id;
    const group: GroupOfApp | undefined = isSound
      ? { construct: this, props: { ...given, name: this.name } }
      : undefined;
    if (group !== undefined) registerGroup(group);
    // those before it are known already, and synth validates each construct twice
    let clashes: readonly Refusal[] | undefined;
    const allProblems = (): readonly Refusal[] => {
      clashes ??= group === undefined ? [] : groupClashes(group);
      return [...problems, ...clashes];
    };
    [this.group] = declareObjects(
      this,
      { Resource: manifestOf(given, this.name) },
      { cluster: given.cluster, code: 'group/invalid', problems: allProblems },
    ) as [ApiObject];
  }
}

const manifestOf = (props: IpGroupProps, name: string): KindManifest =>
  kindManifest({ kind: IP_GROUP, name, props, spec: props.spec });
