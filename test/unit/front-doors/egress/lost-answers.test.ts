import { ADDRESS_CLAIM } from '../../../../operator/contract/kinds/address-claim';
import { mapOf, metadataOf } from '../../../../operator/contract/loose-json';
import { CutClient } from '../../../support/cut-client';
import { egressSpec } from '../../../support/egress-kind-samples';
import { EgressWorld } from '../../../support/egress-world';
import { refusedWith } from '../../../support/memory-api-client';

const NET = { CIDR: '10.0.0.0/29', labelValue: 'a' };
const CLAIM = `/apis/${ADDRESS_CLAIM.group}/${ADDRESS_CLAIM.version}/${ADDRESS_CLAIM.plural}/default.10.0.0.1`;

let world: EgressWorld;
beforeEach(() => {
  world = new EgressWorld();
  world.ipam('bm', { ...egressSpec(NET), dataplane: 'none' });
  for (const name of ['a', 'b']) world.namespace(name, 'bm');
});
afterEach(() => world.close());

/** Serves `a` and `b`. */
async function served(client?: CutClient): Promise<() => Promise<void>> {
  const end = await world.open(client);
  await world.has('a', '10.0.0.1');
  await world.has('b', '10.0.0.2');
  return end;
}

/** Waits, and lets the time pass in which what failed is tried again. */
const triedAgain = (what: string, isSo: () => boolean) =>
  world.until(what, () => {
    world.clock.advance(1_000);
    return isSo();
  });

test('CONC-06 what changed while every watch was broken is known afterwards, and no address moves', async () => {
  const client = new CutClient(world.server);
  await served(client);
  client.goAway();
  await triedAgain('the watches are tried again', () => client.lists > 3);

  world.removeNamespace('a');
  world.namespace('late', 'bm');
  world.annotate('b', { list: undefined });
  expect([world.list('late'), world.record()]).toEqual([undefined, ['10.0.0.1=a', '10.0.0.2=b']]);
  client.comeBack();

  await triedAgain('late is served', () => world.list('late') !== undefined);
  await world.has('b', '10.0.0.2');
  await world.until('a is released', () => !world.record().some((text) => text.endsWith('=a')));
  expect(world.record()).toHaveLength(2);
});

describe('DEL-04 a release', () => {
  /** Answers each deletion of the claim of `a` with something else, until the end of that. */
  function refuse(status: number): { readonly count: () => number; readonly end: () => void } {
    let refused = 0;
    world.server.intercept = ({ method, path }) => {
      if (method !== 'DELETE' || path !== CLAIM) return undefined;
      refused += 1;
      return refusedWith(status, '');
    };
    return {
      count: () => refused,
      end: () => {
        world.server.intercept = () => undefined;
      },
    };
  }

  test.each([403, 500, 504])('that is answered with %d keeps the claim, and is tried again', async (status) => {
    await served();
    const refused = refuse(status);

    world.annotate('a', { egressIpam: undefined });

    await triedAgain('it was refused three times', () => refused.count() >= 3);
    // the address is given to no other namespace meanwhile
    world.namespace('wish', 'bm', '10.0.0.1');
    await world.told('wish', 'AddressInUse');
    expect(world.record()).toEqual(['10.0.0.1=a', '10.0.0.2=b']);
    refused.end();
    await triedAgain('a is released', () => world.record().includes('10.0.0.1=wish'));
    expect([world.list('a'), world.record()]).toEqual([undefined, ['10.0.0.1=wish', '10.0.0.2=b']]);
  });

  test.each([403, 500, 504])(
    'that is answered with %d keeps the EgressIPAM that is deleted, whose condition tells it',
    async (status) => {
      await served();
      const refused = refuse(status);

      await world.removeIpam('bm');

      await triedAgain('the condition tells it', () => world.condition('bm', 'ReconcileError')[0] === 'True');
      expect([refused.count() > 0, world.record().includes('10.0.0.1=a')]).toEqual([true, true]);
      refused.end();
      await triedAgain('bm is gone', () => metadataOf(world.storedIpam('bm'))['name'] === undefined);
      expect(world.record()).toEqual([]);
    },
  );

  test('of a claim that is gone already is done', async () => {
    await served();
    world.server.intercept = ({ method, path }) => {
      if (method === 'DELETE' && path === CLAIM) world.server.remove(path);
      return undefined;
    };

    await world.removeIpam('bm');

    await world.until('bm is gone', () => metadataOf(world.storedIpam('bm'))['name'] === undefined);
    expect(world.record()).toEqual([]);
  });

  test('leaves a claim alone that names another namespace by then, and ends', async () => {
    await served();
    let isTaken = false;
    world.server.intercept = ({ method, path }) => {
      if (method !== 'DELETE' || path !== CLAIM || isTaken) return undefined;
      isTaken = true;
      const claim = world.server.get(path) ?? {};
      const spec = mapOf(claim['spec']);
      const holder = { ...mapOf(spec['holder']), name: 'heir', uid: 'uid-of-heir' };
      world.server.put(path, { ...claim, spec: { ...spec, holder } });
      return undefined;
    };
    world.namespace('heir', 'bm', '10.0.0.1');

    world.annotate('a', { egressIpam: undefined });

    await world.until('it was tried', () => isTaken);
    await triedAgain('the heir has it', () => world.record().includes('10.0.0.1=heir'));
    world.namespace('late', 'bm');
    await world.has('late', '10.0.0.3');
    expect([world.list('a'), world.list('heir')]).toEqual([undefined, '10.0.0.1']);
    expect(world.record()).toEqual(['10.0.0.1=heir', '10.0.0.2=b', '10.0.0.3=late']);
  });
});
