// What other languages cannot have; `package/jsii.test.ts` expects the lint to say so.
import { Construct } from 'constructs';

/** Props of which one is a choice of two shapes. */
export interface UnclearProps {
  readonly size: { readonly small: boolean } | { readonly large: boolean };
  readonly count: bigint;
}

/** A construct with such props. */
export class Unclear extends Construct {
  constructor(scope: Construct, id: string, _props: UnclearProps) {
    super(scope, id);
  }
}
