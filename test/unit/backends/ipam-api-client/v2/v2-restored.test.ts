import { setTimeout as pause } from 'node:timers/promises';
import type { AddressBook, Grant } from '../../../../../operator/ports/address-book';
import { ask, claimant, CUSTOM, granted, refusal } from '../../../../support/ledger-world';
import type { VitistackRecord } from '../../../../support/fake-vitistack-records';
import { inet, RemoteWorld, type RemoteProcess } from '../../../../support/remote-world';

const IN = { zone: 'inet' };
const OPTIONS = { retentionPeriodDays: 0, denyExternalCleanup: false };
const AT = (last: number) => ({ network: 'default', address: inet(last) });

// pauses between checks are true ones

describe('an IPAM-API of version 2 that came from an older backup', () => {
  let world: RemoteWorld;
  let process: RemoteProcess;
  let book: AddressBook;
  const stops: (() => Promise<void>)[] = [];
  beforeEach(async () => {
    world = new RemoteWorld();
    await world.api.start();
    process = world.process();
    ({ book } = process);
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    await world.dispose();
  });

  const owns = async (label: string, change: Parameters<typeof ask>[1] = IN): Promise<Grant> => {
    const grant = granted(await book.reserve(ask(label, change)));
    const bound = { claimant: { ...claimant(label), serviceUid: `uid-of-${label}` }, grant };
    return granted(await book.bind(bound));
  };
  const backup = (): VitistackRecord[] => structuredClone(world.api.store.records);
  const check = (everyMs = 2_000): void => {
    stops.push(process.store.check(everyMs));
  };
  const checks = (result: string): number =>
    world.meter.of('remote_checks_total').filter(({ labels }) => labels['result'] === result).length;
  const until = async (isSo: () => boolean): Promise<void> => {
    const endMs = Date.now() + 100_000;
    while (!isSo()) {
      if (Date.now() > endMs) throw new TypeError(`never so: ${String(isSo)}`);
      await pause(20);
    }
  };
  /** Somebody of another cluster registers an address. */
  const takenByOthers = (last: number): void => {
    const service = { service_name: 'far', namespace_id: 'n9', cluster_id: 'c9' };
    const body = { secret: 'the-secret-of-c9', zone: 'inet', ip_family: 'ipv4', service } as const;
    world.api.store.register({ ...body, address: inet(last).toString() });
  };

  test('has every address of a stored Service again, and the intents stay as they are', async () => {
    await owns('a/old');
    const records = backup();
    for (const name of ['a/web', 'a/db']) await owns(name);
    await owns('a/own', { ...IN, secret: CUSTOM });
    const before = world.api.holders();
    const rows = structuredClone([...world.intents.rows]);
    world.api.store.records = records;
    check();
    await until(() => checks('registered') === 3);
    expect(world.api.holders()).toEqual(before);
    expect([...world.intents.rows]).toEqual(rows);
    expect(world.logger.lines.filter(({ message }) => message.includes('registered there again'))).toHaveLength(3);
  });

  test('gets nothing back that is reserved only, or was released', async () => {
    const records = backup();
    granted(await book.reserve(ask('a/leased', IN)));
    await owns('a/gone');
    await owns('a/web');
    granted(await book.releaseByUid({ serviceUid: 'uid-of-a/gone' }));
    await world.settled();
    world.api.store.records = records;
    check();
    await until(() => checks('registered') === 1);
    expect(world.api.holders()).toEqual(['83.118.168.2/32 web']);
  });

  test('that gave an address to somebody else leaves it to its Service too, which is told', async () => {
    await owns('a/web');
    const heard: string[] = [];
    process.store.onChange(({ address }) => heard.push(address.toString()));
    world.api.store.records = [];
    takenByOthers(0);
    check(2_000);
    await until(() => process.store.over(AT(0)) !== undefined);
    expect(process.store.over(AT(0))).toMatchObject({
      code: 'address/foreign',
      message: expect.stringMatching(/^address "83\.118\.168\.0" is held by another owner: the IPAM-API/u) as string,
    });
    expect(heard).toEqual(['83.118.168.0']);
    expect((await book.owners('c1')).map(({ address }) => address.toString())).toEqual(['83.118.168.0']);
    await until(() => checks('foreign') >= 2);
    expect(world.logger.lines.filter(({ message }) => message.includes('for another owner'))).toHaveLength(1);
    expect(world.api.holders()).toEqual(['83.118.168.0/32 far']);
    await until(() => world.meter.of('remote_disputed').at(-1)?.value === 1);
    world.api.store.records = [];
    await until(() => process.store.over(AT(0)) === undefined);
    expect([heard.length, world.api.holders()]).toEqual([2, ['83.118.168.0/32 web']]);
    await until(() => world.meter.of('remote_disputed').at(-1)?.value === 0);
  });

  test('has no say over what a Service gives up that it did not know', async () => {
    await owns('a/web');
    world.api.store.records = [];
    takenByOthers(0);
    check(2_000);
    await until(() => process.store.over(AT(0)) !== undefined);
    granted(await book.releaseByUid({ serviceUid: 'uid-of-a/web' }));
    await world.settled();
    expect([world.api.holders(), world.phases()]).toEqual([['83.118.168.0/32 far'], []]);
    expect(process.store.over(AT(0))).toBeUndefined();
  });

  test('gives no Service the address of another one of the cluster, which is registered again at once', async () => {
    await owns('a/web');
    world.api.store.records = [];
    expect(refusal(await book.reserve(ask('a/next', IN)).catch(asRefusal)).message).toContain('which others of this');
    await until(() => world.api.holders().includes('83.118.168.0/32 web'));
    await world.settled();
    world.api.store.expire(Date.now());
    expect((await owns('a/next')).address).toEqual(inet(1));
    expect(world.api.holders()).toEqual(['83.118.168.0/32 web', '83.118.168.1/32 next']);
  });

  test('of before a rotation learns the present secret from the former one', async () => {
    const grant = await owns('a/web', { ...IN, secret: CUSTOM });
    const records = backup();
    const next = { value: 'the-secret-that-follows', scope: 'shared' } as const;
    const who = { ...claimant('a/web'), serviceUid: 'uid-of-a/web' };
    granted(await book.bind({ claimant: who, grant, terms: { secret: next, options: OPTIONS, writtenKeys: [] } }));
    expect(world.api.store.records.map(({ secret }) => secret)).toEqual([next.value]);
    world.api.store.records = records;
    check();
    await until(() => checks('registered') === 1);
    expect(world.api.store.records.map(({ secret }) => secret)).toEqual([next.value]);
    expect(process.store.over(AT(0))).toBeUndefined();
  });

  test('is noticed once it answers again, without waiting for the next round', async () => {
    for (const name of ['a/one', 'a/two', 'a/three']) await owns(name);
    check(3_600_000);
    await until(() => checks('known') === 1);
    await world.api.stop();
    await until(() => world.meter.of('remote_away').at(-1)?.value === 1 || tried());
    world.api.store.records = [];
    await world.api.start();
    await until(() => checks('registered') === 3);
    expect(world.api.holders()).toHaveLength(3);
  });

  /** Opens the breaker: what is asked for is never answered. */
  function tried(): boolean {
    void book.reserve(ask('a/try', IN)).catch(() => undefined);
    return false;
  }

  test('is asked for one address at a time, with pauses', async () => {
    for (let name = 0; name < 12; name += 1) await owns(`a/s${String(name)}`);
    world.api.store.records = [];
    let most = 0;
    let now = 0;
    const times: number[] = [];
    world.api.fault = () => {
      times.push(Date.now());
      most = Math.max(most, ++now);
      setTimeout(() => {
        now -= 1;
      }, 40);
      return { kind: 'slow', ms: 40 };
    };
    check();
    await until(() => world.api.holders().length === 12);
    const pauses = times.slice(1).map((each, index) => each - (times[index] ?? 0));
    expect([most, pauses.filter((each) => each < 200)]).toEqual([1, []]);
  });
});

const asRefusal = (thrown: unknown) => {
  const { code, message } = thrown as { readonly code: 'store/unavailable'; readonly message: string };
  return { ok: false, refusal: { code, message } } as const;
};
