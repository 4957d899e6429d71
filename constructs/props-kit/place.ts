import { Chart } from 'cdk8s';
import { Construct } from 'constructs';

import type { ErrorCode } from '../../operator/errors/catalogue';
import { IpamError } from '../../operator/errors/ipam-error';
import { isLate, notAllowed, SOME_TEXT } from './values';

function chartAbove(scope: Construct): boolean {
  return scope.node.scopes.some((each) => Chart.isChart(each));
}

/**
 * Checks where a construct is put, before the libraries below fail in words that name neither.
 *
 * @param scope - as handed to the construct
 * @param id - as handed to the construct
 * @param code - of the construct's refusals
 * @returns the scope
 * @throws {@link IpamError} where the scope stands in no chart, or the id is no text
 */
export function placeFor(scope: unknown, id: unknown, code: ErrorCode): Construct {
  if (!Construct.isConstruct(scope) || !chartAbove(scope)) {
    const { message } = notAllowed('scope', scope, 'a chart, or a construct inside of one');
    throw new IpamError(code, message);
  }
  const [fault] = isLate(id)
    ? [notAllowed('id', 'a value that is known after synth only', SOME_TEXT.allowed)]
    : SOME_TEXT.judge(id, 'id').faults;
  if (fault !== undefined) throw new IpamError(code, fault.message);
  return scope;
}
