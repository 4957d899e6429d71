import { annotationPatch, escapePointer, policyPatch } from '../../../../../operator/front-doors/services/wanted/patch';

describe('annotationPatch', () => {
  test('WH-09 makes the map where there is none', () => {
    expect(annotationPatch({ hasAnnotations: false, annotations: {} }, new Map([['a/b', 'x']]))).toEqual([
      { op: 'add', path: '/metadata/annotations', value: { 'a/b': 'x' } },
    ]);
  });

  test('WH-09 adds, replaces and removes single keys with escaped paths', () => {
    const changes = new Map([
      ['metallb.io/loadBalancerIPs', '192.0.2.1'],
      ['odd~key/with', 'y'],
      ['same', 'z'],
      ['ours', undefined],
      ['never-there', undefined],
    ]);
    expect(
      annotationPatch({ hasAnnotations: true, annotations: { 'odd~key/with': 'x', same: 'z', ours: 'o' } }, changes),
    ).toEqual([
      { op: 'add', path: '/metadata/annotations/metallb.io~1loadBalancerIPs', value: '192.0.2.1' },
      { op: 'replace', path: '/metadata/annotations/odd~0key~1with', value: 'y' },
      { op: 'remove', path: '/metadata/annotations/ours' },
    ]);
  });

  test('is empty when nothing changes', () => {
    expect(annotationPatch({ hasAnnotations: false, annotations: {} }, new Map([['a', undefined]]))).toEqual([]);
  });
});

describe('escapePointer', () => {
  test('escapes the tilde first', () => {
    expect(escapePointer('~1/~')).toBe('~01~1~0');
  });
});

describe('policyPatch', () => {
  test('adds the policy', () => {
    expect(policyPatch('RequireDualStack')).toEqual({
      op: 'add',
      path: '/spec/ipFamilyPolicy',
      value: 'RequireDualStack',
    });
  });
});
