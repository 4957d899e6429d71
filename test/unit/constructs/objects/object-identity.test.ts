import { identityOf, keyOf } from '../../../../constructs/objects/object-identity';

describe('keyOf', () => {
  const key = (namespace: string, name: string): string =>
    keyOf({ group: 'g.example', kind: 'Thing', namespace, name });

  test('tells objects apart whatever is in their names', () => {
    const names = [
      ['a', 'b:c'],
      ['a:b', 'c'],
      ['a', 'b%3Ac'],
      ['a', 'b/c'],
      ['a', 'b|c'],
    ] as const;
    expect(new Set(names.map(([namespace, name]) => key(namespace, name))).size).toBe(names.length);
  });

  test('is the id of a construct, whose path no slash parts', () => {
    expect(key('team', 'system:node/x')).toBe('g.example:Thing:team:system%3Anode%2Fx');
  });

  test('leaves the version out, in which an object is the same', () => {
    const of = (apiVersion: string) => keyOf(identityOf({ apiVersion, kind: 'Thing', metadata: { name: 'x' } }));
    expect(of('g.example/v1')).toBe(of('g.example/v2'));
    expect(of('v1')).toBe(':Thing::x');
  });
});
