import { serviceOwner } from '../../../operator/rules/service-owner';

const services = { loadBalancerClasses: ['ipam/lb'] };
const vips = { loadBalancerClasses: ['paas.org/vip'], classless: false };
const lb = { type: 'LoadBalancer', hasWish: false };

describe('serviceOwner', () => {
  test.each([
    { what: 'another type', facts: { ...lb, type: 'ClusterIP', hasWish: true }, owner: undefined },
    { what: 'a class of the Services door', facts: { ...lb, loadBalancerClass: 'ipam/lb' }, owner: 'services' },
    {
      what: 'a class of the VIPs door, wish or not',
      facts: { ...lb, hasWish: true, loadBalancerClass: 'paas.org/vip' },
      owner: 'vips',
    },
    {
      what: 'a foreign class (SVC-03)',
      facts: { ...lb, hasWish: true, loadBalancerClass: 'other/lb' },
      owner: undefined,
    },
    { what: 'no class and a wish', facts: { ...lb, hasWish: true }, owner: 'services' },
    { what: 'no class and no wish', facts: lb, owner: undefined },
    {
      what: 'a claim of the past',
      facts: { ...lb, loadBalancerClass: 'gone/lb', claimedBy: 'services' as const },
      owner: 'services',
    },
  ])('$what: $owner', ({ facts, owner }) => {
    expect(serviceOwner(facts, { services, vips })).toBe(owner);
  });

  test('a default zone takes every Service without a class', () => {
    expect(serviceOwner(lb, { services: { ...services, defaultZone: 'z' }, vips })).toBe('services');
  });

  test('vips.classless takes what has neither class nor wish', () => {
    const settings = { services, vips: { ...vips, classless: true } };
    expect(serviceOwner(lb, settings)).toBe('vips');
    expect(serviceOwner({ ...lb, hasWish: true }, settings)).toBe('services');
  });

  test('a door that is switched off takes nothing', () => {
    expect(serviceOwner({ ...lb, hasWish: true }, { vips })).toBeUndefined();
    expect(serviceOwner({ ...lb, loadBalancerClass: 'paas.org/vip' }, { services })).toBeUndefined();
  });
});
