import * as pulumi from '@pulumi/pulumi';

import { IpGroup as GroupConstruct, type IpGroupProps } from '../../constructs';
import { IP_GROUP_PROPS } from '../../constructs/render/component-support';
import type { DeferredExcept } from '../args/deferred-props';
import { LITERAL_GROUP_ARGS } from '../args/literal-args';
import { ConstructComponent, declare } from './construct-component';

/** Args of an {@link IpGroup}; its segments are compared with those of other groups, so the spec is plain. */
export interface IpGroupArgs extends DeferredExcept<IpGroupProps, (typeof LITERAL_GROUP_ARGS)[number]> {
  /**
   * Name of the group.
   *
   * @default - the name of the component
   */
  readonly name?: string;
  /**
   * Labels of the object.
   *
   * @default - none
   */
  readonly labels?: Readonly<Record<string, pulumi.Input<string>>>;
}

/** Addresses of which Services of type LoadBalancer are given one each. */
export class IpGroup extends ConstructComponent {
  /** Name of the group, for the annotation `paas.org/ipgroup` of Services. */
  readonly groupName: pulumi.Output<string>;

  /**
   * Declares the group.
   *
   * @param name - name of the component, and the default of `args.name`
   * @param args - addresses, and the Services that they are given to
   * @param opts - options of the component
   * @throws RunError with everything that the API server would refuse
   */
  constructor(name: string, args: IpGroupArgs, opts?: pulumi.ComponentResourceOptions) {
    const asked = { kind: 'IpGroup', name, opts };
    const declared = declare<IpGroupProps, GroupConstruct>(asked, {
      args,
      rule: IP_GROUP_PROPS,
      literal: LITERAL_GROUP_ARGS,
      build: (chart, props) => new GroupConstruct(chart, 'Group', { ...props, name: props.name ?? name }),
    });
    super(asked);
    this.toResources(name, declared);
    this.groupName = pulumi.output(declared.construct.name);
    this.registerOutputs({ groupName: this.groupName });
  }
}
