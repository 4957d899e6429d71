import { setImmediate } from 'node:timers/promises';
import type { JsonMap } from '../../../../../operator/contract/loose-json';
import { VipsDoorWorld } from '../../../../support/vips-door-world';

const P1 = { segment: '1.1.1.0/29', excludedIPs: ['1.1.1.0', '1.1.1.2', '1.1.1.7'] };
const GIVEN = ['1.1.1.1', '1.1.1.3', '1.1.1.4', '1.1.1.5', '1.1.1.6'];
const SHARED = { 'paas.org/sharing-key': 'k' };
const WISHED = { 'paas.org/addresses': '1.1.1.4' };
/** Turns of the event loop: far more than an answer of the API server in memory takes. */
const TURNS = 5_000;

const reasonOf = (condition: JsonMap | undefined): unknown => condition?.['reason'];

describe('what a change helps is done without a pause: no timer runs out', () => {
  let world: VipsDoorWorld;
  beforeEach(async () => {
    world = new VipsDoorWorld();
    world.namespace('test');
    await world.open();
    world.lead();
  });
  afterEach(() => world.close());

  async function until(isSo: () => boolean): Promise<void> {
    for (let turn = 0; turn < TURNS && !isSo(); turn++) await setImmediate();
    if (!isSo()) throw new RangeError('not without a timer');
  }
  const waits = (name: string, reason: string) => until(() => reasonOf(world.condition(name)) === reason);
  async function addressOf(name: string): Promise<string> {
    await waits(name, 'Allocated');
    return world.shown(name);
  }

  /** From here on no timer of the door runs out. */
  function standStill(): void {
    world.clock.after = () => () => undefined;
  }

  async function full(): Promise<void> {
    world.group('ipgroup-1', P1, { generation: 1 });
    for (const [index, address] of GIVEN.entries()) {
      world.service(`s${String(index)}`);
      expect(await addressOf(`s${String(index)}`)).toBe(address);
    }
  }

  test('VIP-T05 R22 a released address goes to the Service that waits for any', async () => {
    await full();
    world.service('f');
    await waits('f', 'NoFreeAddress');
    standStill();
    world.removeService('s2');
    expect(await addressOf('f')).toBe('1.1.1.4');
    expect(world.ip('1.1.1.4')).toMatchObject({ owner: { name: 'f' } });
  });

  test('VIP-T11 R22 a released address goes to the Service that wished it', async () => {
    await full();
    world.service('y', { annotations: WISHED });
    await waits('y', 'RequestedAddressInUse');
    standStill();
    world.removeService('s2');
    expect(await addressOf('y')).toBe('1.1.1.4');
  });

  test('VIP-T21 R22 a new group serves the Service that waits for one', async () => {
    world.service('a');
    await waits('a', 'NoMatchingGroup');
    standStill();
    world.group('ipgroup-1', P1);
    expect(await addressOf('a')).toBe('1.1.1.1');
  });

  test.each([
    ['the growth of its segment', { ...P1, segment: '1.1.1.0/28' }, '1.1.1.8'],
    ['the end of an exclusion', { ...P1, excludedIPs: ['1.1.1.0', '1.1.1.2'] }, '1.1.1.7'],
  ])('R22 a full group serves the Service that waits after %s', async (_change, spec, address) => {
    await full();
    world.service('f');
    await waits('f', 'NoFreeAddress');
    standStill();
    world.group('ipgroup-1', spec, { generation: 2 });
    expect(await addressOf('f')).toBe(address);
  });

  test('REQ-03 the later of two that share is told that the first one shares no more, and that it is gone', async () => {
    world.group('ipgroup-1', P1);
    world.service('a', { annotations: SHARED });
    expect(await addressOf('a')).toBe('1.1.1.1');
    world.service('b', { annotations: SHARED, ports: [81] });
    expect(await addressOf('b')).toBe('1.1.1.1');
    standStill();
    world.annotate('a', {});
    await waits('b', 'Conflict');
    world.removeService('a');
    expect(await addressOf('b')).toBe('1.1.1.1');
  });

  test('REQ-03 R22 a Service that waits shares an address once one of its key has it', async () => {
    await full();
    world.service('f', { annotations: SHARED, ports: [81] });
    await waits('f', 'NoFreeAddress');
    standStill();
    world.annotate('s1', SHARED);
    expect(await addressOf('f')).toBe('1.1.1.3');
  });

  test('VIP-T25 the IP of a deleted Service is deleted', async () => {
    await full();
    standStill();
    world.removeService('s0');
    await until(() => world.ip('1.1.1.1') === undefined);
    expect(world.ip('1.1.1.3')).toBeDefined();
  });
});
