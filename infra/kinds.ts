import * as pulumi from '@pulumi/pulumi';

import { AddressClaim as ClaimConstruct } from '../constructs/kinds';
import type { AddressClaimProps } from '../constructs/kinds-props';
import { CLAIM } from '../constructs/props/service-rules';
import { ConstructComponent } from './component';
import type { LateExcept } from './late-props';
import { PLAIN_CLAIM_ARGS } from './plain-args';

/** What an {@link AddressClaim} is made of; its name is made of network and address, so the spec is plain. */
export interface AddressClaimArgs extends LateExcept<AddressClaimProps, (typeof PLAIN_CLAIM_ARGS)[number]> {
  /**
   * Labels of the object.
   *
   * @default - none
   */
  readonly labels?: Readonly<Record<string, pulumi.Input<string>>>;
}

/** The record that an address or a prefix is taken, for taking over what another system gave out. */
export class AddressClaim extends ConstructComponent {
  /** Name of the object, which is made of network and address. */
  readonly claimName: pulumi.Output<string>;

  /**
   * Declares the claim.
   *
   * @param name - name of the component
   * @param args - what is claimed, and for whom
   * @param opts - options of the component
   * @throws RunError with everything that the API server would refuse
   */
  constructor(name: string, args: AddressClaimArgs, opts?: pulumi.ComponentResourceOptions) {
    super('AddressClaim', name, opts);
    const { construct, adopted } = this.adopt<AddressClaimProps, ClaimConstruct>({
      args,
      rule: CLAIM,
      plain: PLAIN_CLAIM_ARGS,
      build: (chart, props) => new ClaimConstruct(chart, 'Claim', props),
      // two objects of one address cannot exist, whatever their names
      optionsFor: () => ({ deleteBeforeReplace: true }),
    });
    this.claimName = pulumi.output(construct.name);
    adopted.of(construct.claim);
    this.registerOutputs({ claimName: this.claimName });
  }
}
