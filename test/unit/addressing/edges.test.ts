import { edgesOf } from '../../../operator/addressing/edges';
import { prefixOf } from '../../../operator/addressing/prefix';

const edges = (...prefixes: readonly string[]): readonly string[] =>
  edgesOf(prefixes.map(prefixOf))
    .ranges()
    .flatMap(({ first, last }) => (first.equals(last) ? [first.toString()] : [first.toString(), last.toString()]));

describe('FU-15 edges', () => {
  test.each<[readonly string[], readonly string[]]>([
    [['10.0.0.0/24'], ['10.0.0.0', '10.0.0.255']],
    [['10.0.0.0/30'], ['10.0.0.0', '10.0.0.3']],
    [['10.0.0.0/31'], []],
    [['10.0.0.7/32'], []],
    [['2001:db8::/64'], ['2001:db8::']],
    [['2001:db8::/126'], ['2001:db8::']],
    [['2001:db8::/127'], []],
    [['2001:db8::1/128'], []],
    [
      ['10.0.0.0/24', '10.0.1.0/24'],
      ['10.0.0.0', '10.0.1.255'],
    ],
    [
      ['10.0.0.0/24', '10.0.2.0/24'],
      ['10.0.0.0', '10.0.0.255', '10.0.2.0', '10.0.2.255'],
    ],
    [['2001:db8::/112', '2001:db8::1:0/112'], ['2001:db8::']],
    [['10.0.0.255/32', '10.0.1.0/24'], ['10.0.1.255']],
  ])('of %j are %j', (prefixes, expected) => {
    expect(edges(...prefixes)).toEqual(expected);
  });
});
