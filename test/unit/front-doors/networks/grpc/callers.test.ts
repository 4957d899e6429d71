import { tokenCallers } from '../../../../../operator/front-doors/networks/grpc/callers';
import { accept, refuse, type Outcome } from '../../../../../operator/errors/outcome';
import type { TokenAccess, TokenUser, WantedAccess } from '../../../../../operator/ports/token-access';
import { ManualClock } from '../../../../support/manual-clock';

const ALICE: TokenUser = { username: 'alice', uid: '1', groups: ['team'], extra: {} };

/** An API server that knows one token, and counts what it is asked. */
class Access implements TokenAccess {
  readonly asked: string[] = [];
  mayDo = true;
  isDown = false;
  #waiting: (() => void)[] = [];
  holds = false;

  async userOf(token: string): Promise<Outcome<TokenUser>> {
    this.asked.push(`token ${token}`);
    if (this.isDown) throw new RangeError('no answer');
    if (this.holds) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return token === 'good' ? accept(ALICE) : refuse('api/unauthenticated', 'unknown');
  }

  allows({ username }: TokenUser, { verb, namespace, resource, group }: WantedAccess): Promise<Outcome<void>> {
    this.asked.push(`${username} ${verb} ${resource}.${group} ${namespace}`);
    return Promise.resolve(this.mayDo ? accept(undefined) : refuse('api/forbidden', 'no'));
  }

  release(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

const CREATE = { verb: 'create', namespace: 'shop', peer: '10.0.0.1' } as const;
const told = (outcome: Outcome<string>): string => (outcome.ok ? 'OK' : outcome.refusal.code);

let clock: ManualClock;
let access: Access;
let callers: ReturnType<typeof tokenCallers>;

beforeEach(() => {
  clock = new ManualClock();
  access = new Access();
  callers = tokenCallers(access, clock);
});

test('a caller is judged by its token and by its right on IPAllocations of the namespace', async () => {
  expect(told(await callers.judge('Bearer good', CREATE))).toBe('OK');
  expect(access.asked).toEqual(['token good', 'alice create ipallocations.ipam.nephio.org shop']);
});

test.each([undefined, '', 'good', 'Basic good', 'Bearer ', `Bearer ${'a'.repeat(20_000)}`])(
  'without a token nothing is asked (%#)',
  async (authorization) => {
    expect(told(await callers.judge(authorization, CREATE))).toBe('api/unauthenticated');
    expect(access.asked).toEqual([]);
  },
);

test('an answer counts for ten seconds, one of a missing right too', async () => {
  access.mayDo = false;
  expect(told(await callers.judge('Bearer good', CREATE))).toBe('api/forbidden');
  access.mayDo = true;
  expect(told(await callers.judge('Bearer good', CREATE))).toBe('api/forbidden');
  expect(access.asked).toHaveLength(2);
  clock.advance(10_000);
  expect(told(await callers.judge('Bearer good', CREATE))).toBe('OK');
  expect(access.asked).toHaveLength(4);
});

test('another verb, namespace or token is asked anew', async () => {
  await callers.judge('Bearer good', CREATE);
  await callers.judge('Bearer good', { ...CREATE, verb: 'delete' });
  await callers.judge('Bearer good', { ...CREATE, namespace: 'other' });
  expect(told(await callers.judge('Bearer bad', CREATE))).toBe('api/unauthenticated');
  expect(access.asked).toHaveLength(5);
});

test('calls of one moment share one question', async () => {
  access.holds = true;
  const all = Array.from({ length: 50 }, () => callers.judge('Bearer good', CREATE));
  access.release();
  expect((await Promise.all(all)).map(told)).toEqual(Array(50).fill('OK'));
  expect(access.asked).toHaveLength(2);
});

test('a failure is not kept', async () => {
  access.isDown = true;
  await expect(callers.judge('Bearer good', CREATE)).rejects.toThrow('no answer');
  access.isDown = false;
  expect(told(await callers.judge('Bearer good', CREATE))).toBe('OK');
});

const wrong = (count: number, peers: number) =>
  Array.from({ length: count }, (_, index) =>
    callers.judge(`Bearer t${String(index)}`, { ...CREATE, peer: `10.0.1.${String(index % peers)}` }),
  );

test('the questions under way are bounded, whatever tokens come', async () => {
  access.holds = true;
  const all = wrong(100, 10);
  access.release();
  const codes = (await Promise.all(all)).map(told);
  expect(codes.filter((code) => code === 'api/busy')).toHaveLength(68);
  expect(access.asked).toHaveLength(32);
  access.holds = false;
  expect(told(await callers.judge('Bearer good', CREATE))).toBe('OK');
});

test('one peer has a share of them, and leaves the rest to others', async () => {
  access.holds = true;
  const all = wrong(100, 1);
  expect(access.asked).toHaveLength(8);
  access.holds = false;
  expect(told(await callers.judge('Bearer good', CREATE))).toBe('OK');
  access.release();
  await Promise.all(all);
});

test('questions about rights wait for none about tokens', async () => {
  await callers.judge('Bearer good', CREATE);
  access.holds = true;
  const all = wrong(100, 10);
  expect(told(await callers.judge('Bearer good', { ...CREATE, namespace: 'other' }))).toBe('OK');
  access.release();
  await Promise.all(all);
});

test('tokens that are not valid push out no answer about a valid one', async () => {
  await callers.judge('Bearer good', CREATE);
  for (let round = 0; round < 1000; round++) {
    const all = [0, 1, 2, 3, 4].map((index) => callers.judge(`Bearer w${String(round)}-${String(index)}`, CREATE));
    await Promise.all(all);
  }
  access.asked.splice(0);
  expect(told(await callers.judge('Bearer good', CREATE))).toBe('OK');
  expect(access.asked).toEqual([]);
});
