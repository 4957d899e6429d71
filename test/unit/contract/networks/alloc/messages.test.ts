import { ALLOCATION_SERVICE, HEALTH_SERVICE } from '../../../../../operator/contract/networks/alloc/messages';

/** One field whose value is a text or a message: its number, and its bytes with their length. */
function field(number: number, value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
}

/** One entry of a map. */
const entry = (number: number, key: string, value: string): Buffer =>
  field(number, Buffer.concat([field(1, key), field(2, value)]));

// the numbers of the original, written out by hand
const SPEC = Buffer.concat([
  field(1, 'pool'),
  field(2, '10.0.0.0/16'),
  Buffer.from([3 << 3, 0xa0, 0x02]), // 288, as a number of several bytes
  field(4, 'net1'),
  field(5, 'ipv4'),
  entry(6, 'nephio.org/network-instance', 'vpc-1'),
]);
const REQUEST = Buffer.concat([
  field(1, 'default'),
  field(2, 'g1'),
  field(3, 'ipam'),
  entry(6, 'region', 'a'),
  field(7, SPEC),
]);

describe('a request', () => {
  const { requestDeserialize, requestSerialize } = ALLOCATION_SERVICE.Allocation;

  test('has the field numbers of the original', () => {
    expect(requestDeserialize(REQUEST)).toEqual({
      namespace: 'default',
      name: 'g1',
      kind: 'ipam',
      labels: { region: 'a' },
      spec: {
        prefixkind: 'pool',
        prefix: '10.0.0.0/16',
        prefixLength: 288,
        network: 'net1',
        addressFamily: 'ipv4',
        selector: { 'nephio.org/network-instance': 'vpc-1' },
        matchExpressions: [],
      },
    });
  });

  test('is written as it was read', () => {
    expect(requestSerialize(requestDeserialize(REQUEST))).toEqual(REQUEST);
  });

  test('has empty values for all that it leaves out, and no spec', () => {
    expect(requestDeserialize(Buffer.alloc(0))).toEqual({ namespace: '', name: '', kind: '', labels: {}, spec: null });
  });

  test('of unknown fields is read without them', () => {
    expect(requestDeserialize(Buffer.concat([REQUEST, field(12, 'x')]))).toEqual(requestDeserialize(REQUEST));
  });

  test.each([
    ['an end inside of a field', Buffer.from([0x0a, 0x09, 0x61])],
    ['another type of a field', Buffer.from([0x3d, 1, 2, 3, 4, 0x0c])],
    ['a text of 4 GiB', Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f])],
  ])('with %s is refused', (_case, bytes) => {
    expect(() => requestDeserialize(bytes)).toThrow();
  });

  test('with a label "__proto__" changes no other object', () => {
    const read = requestDeserialize(Buffer.concat([entry(6, '__proto__', 'x'), field(2, 'g1')]));
    expect(read.name).toBe('g1');
    expect(Object.keys(read.labels)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(read.labels)).toBe(Object.prototype);
  });
});

describe('an answer', () => {
  test('has the field numbers of the original, and the parent beside them', () => {
    const bytes = Buffer.concat([field(1, '10.0.1.2/32'), field(2, '10.0.1.1'), field(3, '10.0.1.0/24')]);
    const answer = { allocatedPrefix: '10.0.1.2/32', gateway: '10.0.1.1', parentPrefix: '10.0.1.0/24' };
    expect(ALLOCATION_SERVICE.Allocation.responseDeserialize(bytes)).toEqual(answer);
    expect(ALLOCATION_SERVICE.Allocation.responseSerialize(answer)).toEqual(bytes);
  });

  test('to a release is empty', () => {
    expect(ALLOCATION_SERVICE.DeAllocation.responseSerialize({})).toHaveLength(0);
  });

  test('of a watch says which state a claim has', () => {
    const { responseSerialize, responseDeserialize } = ALLOCATION_SERVICE.Watch;
    const claim = {
      namespace: 'a',
      name: 'g1',
      networkInstance: 'vpc-1',
      prefixkind: 'network',
      labels: {},
      allocatedPrefix: '10.0.1.2/32',
      gateway: '',
      parentPrefix: '',
      statusCode: 'Unknown' as const,
    };
    expect(responseDeserialize(responseSerialize({ claim }))).toEqual({ claim, synced: false });
    expect(responseDeserialize(responseSerialize({ synced: true }))).toEqual({ claim: null, synced: true });
  });

  test('about health has the numbers of the standard', () => {
    expect(HEALTH_SERVICE.Check.responseSerialize({ status: 'SERVING' })).toEqual(Buffer.from([1 << 3, 1]));
    expect(HEALTH_SERVICE.Check.requestDeserialize(field(1, 'alloc.Allocation'))).toEqual({
      service: 'alloc.Allocation',
    });
  });
});
