import { Ajv } from 'ajv';
import fc, { type Arbitrary } from 'fast-check';
import { PROBLEM } from '../../../../../operator/contract/ipam-api/v3/problem-schema';
import {
  operation,
  OPERATION_IDS,
  pathOf,
  type OperationId,
} from '../../../../../operator/contract/ipam-api/v3/operations';
import { parseAnswer } from '../../../../../operator/contract/ipam-api/v3/parse-call';
import { LedgerWorld } from '../../../../support/ledger-world';
import { mutated, valuesOf, type Likely } from '../../../../support/schema-arbitrary';
import { DIFFERING, KEEPING_HASHER, V3World, type V3Reply } from '../../../../support/v3-world';

/** Values by which calls meet each other. */
const LIKELY: Likely = {
  clusterUid: ['c1', 'c2'],
  zone: ['z', 'gone'],
  network: ['default', 'other'],
  key: ['k1', 'k2', '@default,192.0.2.1,1', '@x'],
  address: ['192.0.2.1', '192.0.2.1', '192.0.2.2', '2001:db8::1', '::ffff:192.0.2.1', '127.0.0.1'],
  serviceName: ['web', 'db'],
  serviceUid: ['u1', 'u2'],
  holderId: ['1', '2', '3'],
  after: ['x', '{}', 'bnVsbA'],
};
const isProblem = new Ajv().compile(PROBLEM);
// its answer does not end; tests of its own call it
const IDS = OPERATION_IDS.filter((id) => operation(id).stream !== true);

function newWorld(): V3World {
  const ledger = new LedgerWorld();
  return new V3World({ ledger, parts: { ...ledger.ledger(ledger.store, KEEPING_HASHER), outside: DIFFERING } });
}

interface Sent {
  readonly id: OperationId;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

function callsOf(id: OperationId, wrong: boolean): Arbitrary<Sent> {
  const { params, query, body } = operation(id);
  const values = (schema: object | undefined): Arbitrary<unknown> =>
    schema === undefined ? fc.constant(undefined) : valuesOf(schema, LIKELY);
  const odd = (schema: object | undefined): Arbitrary<unknown> => (wrong ? mutated(values(schema)) : values(schema));
  return fc.record({
    id: fc.constant(id),
    params: values(params),
    query: wrong && body === undefined ? odd(query) : values(query),
    body: body === undefined ? fc.constant(undefined) : odd(body),
  });
}

function send(world: V3World, { id, params, query, body }: Sent): Promise<V3Reply> {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries((query ?? {}) as Record<string, unknown>)) {
    for (const each of Array.isArray(value) ? value : [value]) search.append(name, String(each));
  }
  const path = pathOf(id, (params ?? {}) as Record<string, string>);
  return world.send(operation(id).method, search.size === 0 ? path : `${path}?${search.toString()}`, { body });
}

function expectDescribed(id: OperationId, { status, headers, json, text }: V3Reply): void {
  if (status < 300) {
    const body: unknown = text === '' ? undefined : json;
    expect(parseAnswer(id, status, body)).toMatchObject({ ok: true });
    return;
  }
  expect(headers['content-type']).toMatch(/^application\/problem\+json/u);
  expect({ valid: isProblem(json), errors: isProblem.errors }).toEqual({ valid: true, errors: null });
  expect(json['status']).toBe(status);
  // a full zone says so by 503; everything else of the kind is a fault
  expect(status < 500 || json['code'] === 'pool/exhausted').toBe(true);
}

describe.each(IDS)('operation %s', (id) => {
  test.each([
    ['as it is described', false],
    ['a little wrong', true],
  ])('answers a call that is %s as it is described', async (_how, wrong) => {
    const world = newWorld();
    await fc.assert(
      fc.asyncProperty(callsOf(id, wrong), async (call) => {
        expectDescribed(id, await send(world, call));
      }),
      { numRuns: 60 },
    );
  });
});

describe('operations among each other', () => {
  test('answer any order of calls as it is described, and never by a fault', async () => {
    const any = fc.array(fc.oneof(...IDS.map((id) => callsOf(id, false))), { minLength: 10, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(any, async (calls) => {
        const world = newWorld();
        for (const call of calls) expectDescribed(call.id, await send(world, call));
      }),
      { numRuns: 25 },
    );
  });
});
