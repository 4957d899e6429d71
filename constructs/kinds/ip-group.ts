import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';

import { IP_GROUP, ipGroupProblems } from '../../operator/contract/kinds/ip-group';
import { registerObject, takenNameProblems, type ObjectOfApp } from '../app/app-objects';
import { refuseForeignTwins } from '../app/foreign-objects';
import type { Refusal } from '../../operator/errors/outcome';
import { clusterScoped } from '../objects/names';
import { DNS_NAME } from '../props-kit/kubernetes-values';
import { placeFor } from '../props-kit/place';
import { idProblems } from '../props-kit/id-as-name';
import { readProps } from '../props-kit/rule';
import { groupClashes, registerGroup, type GroupOfApp } from './group-clashes';
import type { IpGroupProps } from './ip-group-props';
import { IP_GROUP_PROPS } from './ip-group-rules';

/**
 * Addresses of which Services of type LoadBalancer are given one each. The CRD is `cdk8s-ipam/crds/ipgroups.paas.org.yaml`.
 *
 * What the API server would refuse or silently drop, and a segment that overlaps another group of the app, fails at synth, with the
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
    const { valid, problems, isSound } = readGroup(props, id);
    this.name = valid.name;
    this.group = clusterScoped(new ApiObject(this, 'Resource', manifestOf(valid)));
    const named: ObjectOfApp = {
      ...{ construct: this, object: this.group, namespace: '', cluster: valid.cluster },
      ...{ field: 'name', code: 'group/invalid' },
    };
    registerObject(named);
    refuseForeignTwins(this, valid.cluster);
    const group: GroupOfApp | undefined = isSound ? { construct: this, props: valid } : undefined;
    if (group !== undefined) registerGroup(group);
    // those before it are known already, and synth validates each construct twice
    let clashes: readonly Refusal[] | undefined;
    this.node.addValidation({
      validate: () => {
        clashes ??= group === undefined ? [] : groupClashes(group);
        return [...problems, ...takenNameProblems(named), ...clashes].map(({ message }) => message);
      },
    });
  }
}

type NamedProps = IpGroupProps & { readonly name: string };

function manifestOf({ name, spec, labels, annotations }: NamedProps) {
  return {
    apiVersion: `${IP_GROUP.group}/${IP_GROUP.version}`,
    kind: IP_GROUP.kind,
    metadata: {
      name,
      ...(labels === undefined ? {} : { labels: { ...labels } }),
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
    },
    spec: { ...spec },
  };
}

// Once for each group, since a schema is slow to ask.
function readGroup(props: IpGroupProps, id: string) {
  const read = readProps(IP_GROUP_PROPS, props, 'group/invalid');
  const { valid: given, problems, malformed } = read;
  const valid: NamedProps = { ...given, name: given.name ?? id };
  const wrong = malformed
    ? []
    : [...idProblems(read, id, { judge: DNS_NAME, code: 'group/invalid' }), ...ipGroupProblems(manifestOf(valid))];
  return { valid, problems: [...problems, ...wrong], isSound: !malformed && wrong.length === 0 };
}
