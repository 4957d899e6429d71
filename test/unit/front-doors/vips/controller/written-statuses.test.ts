import { parseAddress, type Address } from '../../../../../operator/addressing/address';
import { accept, refuse, type Outcome } from '../../../../../operator/errors/outcome';
import { valueOf } from '../../../../../operator/errors/ipam-error';
import { WrittenStatuses } from '../../../../../operator/front-doors/vips/controller/written-statuses';
import type { AddressesInUse, AddressShowing } from '../../../../../operator/ports/addresses-in-use';
import type { ObjectChange } from '../../../../../operator/ports/object-feed';

const addressOf = (text: string): Address => valueOf(parseAddress(text));
const [ADDRESS, OTHER] = [addressOf('192.0.2.1'), addressOf('192.0.2.2')];
const KEY = { namespace: 'test', name: 'a', uid: 'uid-a' };
const WRITTEN: AddressShowing = { kind: 'ingress', source: 'Service/test/a', uid: 'uid-a' };

/** The watch tells a version of the Service. */
const told = (resourceVersion: string): ObjectChange => ({ key: KEY, after: { metadata: { resourceVersion } } });

describe('R8 a status that is written', () => {
  let shown: AddressShowing[];
  let written: WrittenStatuses;
  beforeEach(() => {
    shown = [];
    const cluster: AddressesInUse = {
      at: () => shown,
      addresses: () => [],
      blocks: () => [],
      whenKnown: () => Promise.resolve(),
    };
    written = new WrittenStatuses(cluster);
  });
  const during = (outcome: Promise<Outcome<void>>, resourceVersion = '7', ...addresses: readonly Address[]) =>
    written.during(outcome, { key: KEY, resourceVersion, addresses: addresses.length === 0 ? [ADDRESS] : addresses });

  test('counts while it is under way, and until the watch is beyond the version that it went over', async () => {
    const write = during(Promise.resolve(accept(undefined)));
    expect([written.at(ADDRESS), written.at(OTHER), written.isAwaited('uid-a')]).toEqual([[WRITTEN], [], true]);
    await write;
    // the watch is behind even of what was written over
    for (const version of ['6', '7']) expect(written.follow(told(version))).toEqual([]);
    expect(written.at(ADDRESS)).toEqual([WRITTEN]);
    expect(written.follow(told('10'))).toEqual([ADDRESS]);
    expect([written.at(ADDRESS), written.isAwaited('uid-a')]).toEqual([[], false]);
  });

  test('counts once where the watch tells it already', async () => {
    await during(Promise.resolve(accept(undefined)));
    shown = [WRITTEN];
    expect(written.at(ADDRESS)).toEqual([WRITTEN]);
  });

  test('does not count after the API server refused it', async () => {
    await during(Promise.resolve(refuse('store/conflict', 'changed')));
    expect([written.at(ADDRESS), written.isAwaited('uid-a')]).toEqual([[], false]);
  });

  test('of which the answer was lost counts until the next comparison, and one under way stays', async () => {
    await expect(during(Promise.reject(new Error('lost')))).rejects.toThrow('lost');
    let end: (outcome: Outcome<void>) => void = () => undefined;
    const underWay = during(new Promise((resolve) => (end = resolve)), '7', OTHER);
    expect([written.at(ADDRESS), written.at(OTHER)]).toEqual([[WRITTEN], [WRITTEN]]);
    expect(written.forgetLost()).toEqual([ADDRESS]);
    expect([written.at(ADDRESS), written.at(OTHER), written.addresses()]).toEqual([[], [WRITTEN], [OTHER]]);
    end(accept(undefined));
    await underWay;
  });

  test('ends with its Service, and with the term of this process', async () => {
    await during(Promise.resolve(accept(undefined)));
    expect(written.follow({ key: KEY })).toEqual([ADDRESS]);
    await during(Promise.resolve(accept(undefined)));
    written.clear();
    expect([written.at(ADDRESS), written.isAwaited('uid-a')]).toEqual([[], false]);
  });
});
