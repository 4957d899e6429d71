import { addressOf } from '../../../operator/addressing/address';
import { usableSpace, withoutExcluded } from '../../../operator/addressing/exclusions';
import { prefixOf } from '../../../operator/addressing/prefix';
import { parseBlock, type Range } from '../../../operator/addressing/range';
import { valueOf } from '../../../operator/errors/ipam-error';

const block = (text: string): Range => valueOf(parseBlock(text));

describe('usableSpace', () => {
  test.each([
    ['10.0.12.0/24', 256n, '10.0.12.0-10.0.12.255'],
    ['10.0.12.0/29', 8n, '10.0.12.0-10.0.12.7'],
    ['10.0.12.0/30', 4n, '10.0.12.0-10.0.12.3'],
    ['10.0.12.0/31', 2n, '10.0.12.0-10.0.12.1'],
    ['10.0.12.0/32', 1n, '10.0.12.0'],
    ['2001:db8::/126', 4n, '2001:db8::-2001:db8::3'],
    ['2001:db8::/127', 2n, '2001:db8::-2001:db8::1'],
    ['2001:db8::/128', 1n, '2001:db8::'],
  ])('ADDR-06 gives all of %s as pool: %s', (text, count, expected) => {
    const space = usableSpace(prefixOf(text), 'pool');

    expect(space.count()).toBe(count);
    expect(space.toString()).toBe(expected);
  });

  test.each([
    ['10.0.12.0/24', 254n, '10.0.12.1-10.0.12.254'],
    ['10.0.12.0/29', 6n, '10.0.12.1-10.0.12.6'],
    ['10.0.12.0/30', 2n, '10.0.12.1-10.0.12.2'],
    ['10.0.12.0/31', 2n, '10.0.12.0-10.0.12.1'],
    ['10.0.12.0/32', 1n, '10.0.12.0'],
    ['2001:db8::/126', 3n, '2001:db8::1-2001:db8::3'],
    ['2001:db8::/127', 2n, '2001:db8::-2001:db8::1'],
    ['2001:db8::/128', 1n, '2001:db8::'],
  ])('ADDR-06 gives the hosts of %s as subnet: %s', (text, count, expected) => {
    const space = usableSpace(prefixOf(text), 'subnet');

    expect(space.count()).toBe(count);
    expect(space.toString()).toBe(expected);
  });

  test('ADDR-06 leaves the broadcast address out of a subnet and in a pool', () => {
    const broadcast = addressOf('10.0.12.7');

    expect(usableSpace(prefixOf('10.0.12.0/29'), 'subnet').contains(broadcast)).toBe(false);
    expect(usableSpace(prefixOf('10.0.12.0/29'), 'pool').contains(broadcast)).toBe(true);
  });
});

describe('withoutExcluded', () => {
  const subnet = usableSpace(prefixOf('10.0.12.0/28'), 'subnet');

  test('takes gateway, nodes and the listed ranges out, each address once', () => {
    const rest = withoutExcluded(subnet, {
      gateway: addressOf('10.0.12.1'),
      nodes: [addressOf('10.0.12.5'), addressOf('10.0.12.6')],
      listed: [block('10.0.12.6-10.0.12.8'), block('10.0.12.12/30')],
    });

    expect(rest.toString()).toBe('10.0.12.2-10.0.12.4, 10.0.12.9-10.0.12.11');
  });

  test('changes nothing for addresses outside of the space', () => {
    const rest = withoutExcluded(subnet, {
      gateway: addressOf('10.0.13.1'),
      nodes: [addressOf('2001:db8::1')],
      listed: [block('10.0.12.15')],
    });

    expect(rest.equals(subnet)).toBe(true);
  });

  test('gives the space itself for no exclusions', () => {
    expect(withoutExcluded(subnet, {}).equals(subnet)).toBe(true);
  });
});
