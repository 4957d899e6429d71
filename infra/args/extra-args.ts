import { props } from '../../constructs/props-kit/containers';
import type { Rule } from '../../constructs/props-kit/rule';
import { FLAG, single, word } from '../../constructs/props-kit/values';

interface OwnOperatorArgs {
  readonly dataProtection?: 'retain' | 'protect' | 'none';
}

interface OwnServiceArgs {
  readonly waitForAddresses?: boolean;
  readonly timeoutSeconds?: number;
}

/** Args of an operator that its construct does not have. */
export const OWN_OPERATOR_ARGS: Rule<OwnOperatorArgs> = props<OwnOperatorArgs>({
  dataProtection: word('retain', 'protect', 'none'),
});

/** Args of a Service that its construct does not have. */
export const OWN_SERVICE_ARGS: Rule<OwnServiceArgs> = props<OwnServiceArgs>({
  waitForAddresses: FLAG,
  timeoutSeconds: single<number>({
    types: ['number'],
    allowed: 'a whole number from 1 to 86400',
    holds: (value) => Number.isInteger(value) && value >= 1 && value <= 86_400,
  }),
});
