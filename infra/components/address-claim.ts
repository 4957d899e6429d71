import * as pulumi from '@pulumi/pulumi';

import { AddressClaim as ClaimConstruct, type AddressClaimProps } from '../../constructs';
import { CLAIM } from '../../constructs/render/component-support';
import type { DeferredExcept } from '../args/deferred-props';
import { LITERAL_CLAIM_ARGS } from '../args/literal-args';
import { ConstructComponent, declare } from './construct-component';

/** Args of an {@link AddressClaim}; its name is made of network and address, so the spec is plain. */
export interface AddressClaimArgs extends DeferredExcept<AddressClaimProps, (typeof LITERAL_CLAIM_ARGS)[number]> {
  /**
   * Labels of the object.
   *
   * @default - none
   */
  readonly labels?: Readonly<Record<string, pulumi.Input<string>>>;
}

/**
 * The record that an address or a prefix is taken, for taking over what another system gave out. The operator writes these objects;
 * where it is installed, every other client, this provider too, needs the break-glass group of `crds.breakGlassGroup`.
 */
export class AddressClaim extends ConstructComponent {
  /** Name of the object, which is made of network and address. */
  readonly claimName: pulumi.Output<string>;

  /**
   * Declares the claim.
   *
   * @param name - name of the component
   * @param args - the claimed space, and its holder
   * @param opts - options of the component
   * @throws RunError with everything that the API server would refuse
   */
  constructor(name: string, args: AddressClaimArgs, opts?: pulumi.ComponentResourceOptions) {
    const asked = { kind: 'AddressClaim', name, opts };
    const declared = declare<AddressClaimProps, ClaimConstruct>(asked, {
      args,
      rule: CLAIM,
      literal: LITERAL_CLAIM_ARGS,
      build: (chart, props) => new ClaimConstruct(chart, 'Claim', props),
    });
    super(asked);
    // two objects of one address cannot exist, whatever their names
    this.toResources(name, declared, () => ({ deleteBeforeReplace: true }));
    this.claimName = pulumi.output(declared.construct.name);
    this.registerOutputs({ claimName: this.claimName });
  }
}
