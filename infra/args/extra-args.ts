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

/** Args of an operator that its construct does not have. */
export const EXTRA_OPERATOR_ARGS: Rule<ExtraOperatorArgs> = props<ExtraOperatorArgs>({
  dataProtection: word('retain', 'protect', 'none'),
});

/** Args of a Service that its construct does not have. */
export const EXTRA_SERVICE_ARGS: Rule<ExtraServiceArgs> = props<ExtraServiceArgs>({
  waitForAddresses: FLAG,
  timeoutSeconds: single<number>({
    types: ['number'],
    allowed: 'a whole number from 1 to 86400',
    holds: (value) => Number.isInteger(value) && value >= 1 && value <= 86_400,
  }),
});
