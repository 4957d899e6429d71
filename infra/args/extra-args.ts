import { props } from '../../constructs/props-kit/containers';
import type { Rule } from '../../constructs/props-kit/rule';
import { FLAG, single, word } from '../../constructs/props-kit/values';

interface ExtraOperatorArgs {
  readonly dataProtection?: 'retain' | 'protect' | 'none';
}

interface ExtraServiceArgs {
  readonly waitForAddresses?: boolean;
  readonly timeoutSeconds?: number;
}

/** Args of a component that waits until the operator has accepted its object. */
export interface ReadyArgs {
  /**
   * Whether `pulumi up` waits until the operator has accepted the object. Without, its Outputs may be empty.
   *
   * @default true
   */
  readonly waitForReady?: boolean;
  /**
   * Seconds that `pulumi up` waits, 1 to 86400; then it fails with what the operator says of the object.
   *
   * @default 300
   */
  readonly timeoutSeconds?: number;
}

const SECONDS = single<number>({
  types: ['number'],
  allowed: 'a whole number from 1 to 86400',
  holds: (value) => Number.isInteger(value) && value >= 1 && value <= 86_400,
});

/** Args of an operator that its construct does not have. */
export const EXTRA_OPERATOR_ARGS: Rule<ExtraOperatorArgs> = props<ExtraOperatorArgs>({
  dataProtection: word('retain', 'protect', 'none'),
});

/** Args of a Service that its construct does not have. */
export const EXTRA_SERVICE_ARGS: Rule<ExtraServiceArgs> = props<ExtraServiceArgs>({
  waitForAddresses: FLAG,
  timeoutSeconds: SECONDS,
});

/** Args that the constructs of `ipam.nephio.org` do not have. */
export const EXTRA_READY_ARGS: Rule<ReadyArgs> = props<ReadyArgs>({ waitForReady: FLAG, timeoutSeconds: SECONDS });
