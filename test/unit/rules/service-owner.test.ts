import { readService, type ServiceView } from '../../../operator/contract/service';
import { serviceOwner, type OwnerSettings } from '../../../operator/rules/service-owner';
import { parseZones } from '../../../operator/contract/zones';

const parsed = parseZones({
  version: 1,
  zones: [{ name: 'z', prefixes: ['10.0.0.0/24', 'fd00::/112'], excluded: ['10.0.0.9'] }],
});
if (!parsed.ok) throw new RangeError('the zones are wrong');
const zones = parsed.value;
const services = { loadBalancerClasses: ['ipam/lb'], zones };
const vips = { loadBalancerClasses: ['paas.org/vip'], classless: false };

function service(annotations: Record<string, string> = {}, spec: Record<string, unknown> = {}): ServiceView {
  const view = readService({ metadata: { name: 'web', annotations }, spec: { type: 'LoadBalancer', ...spec } });
  if (view === undefined) throw new RangeError('no Service');
  return view;
}

const wish = { 'ipam.vitistack.io/zone': 'z' };
const ofClass = (loadBalancerClass: string, annotations = {}): ServiceView =>
  service(annotations, { loadBalancerClass });

describe('serviceOwner', () => {
  test.each<{ what: string; facts: Parameters<typeof serviceOwner>[0]; owner: string | undefined }>([
    { what: 'another type', facts: { service: service(wish, { type: 'ClusterIP' }) }, owner: undefined },
    { what: 'a class of the Services door', facts: { service: ofClass('ipam/lb') }, owner: 'services' },
    { what: 'a class of the VIPs door, wish or not', facts: { service: ofClass('paas.org/vip', wish) }, owner: 'vips' },
    { what: 'a foreign class (SVC-03)', facts: { service: ofClass('other/lb', wish) }, owner: undefined },
    { what: 'no class and a wish', facts: { service: service(wish) }, owner: 'services' },
    {
      what: 'no class and a misspelt wish',
      facts: { service: service({ 'ipam.vitistack.io/zoen': 'z' }) },
      owner: 'services',
    },
    { what: 'no class and no wish', facts: { service: service() }, owner: undefined },
    { what: 'a wish that a PUT stripped', facts: { service: service(), live: service(wish) }, owner: 'services' },
    { what: 'a claim of the past', facts: { service: ofClass('gone/lb'), claimedBy: 'services' }, owner: 'services' },
  ])('$what: $owner', ({ facts, owner }) => {
    expect(serviceOwner(facts, { services, vips })).toBe(owner);
  });

  test.each<{
    what: string;
    annotations?: Record<string, string>;
    spec?: Record<string, unknown>;
    owner: string | undefined;
  }>([
    { what: 'the pool of a zone', annotations: { 'metallb.io/address-pool': 'z' }, owner: 'services' },
    { what: 'the same by the older key', annotations: { 'metallb.universe.tf/address-pool': 'z' }, owner: 'services' },
    { what: 'an address of a zone', annotations: { 'metallb.io/loadBalancerIPs': '10.0.0.3' }, owner: 'services' },
    {
      what: 'an IPv6 address of a zone',
      annotations: { 'metallb.io/loadBalancerIPs': '192.0.2.1, fd00::8' },
      owner: 'services',
    },
    {
      what: 'an excluded address',
      annotations: { 'metallb.universe.tf/loadBalancerIPs': '10.0.0.9' },
      owner: 'services',
    },
    { what: 'an address in the spec', spec: { loadBalancerIP: '10.0.0.3' }, owner: 'services' },
    { what: 'a pool of somebody else', annotations: { 'metallb.io/address-pool': 'other' }, owner: undefined },
    { what: 'an address of no zone', spec: { loadBalancerIP: '192.0.2.1' }, owner: undefined },
  ])('FU-03 $what: $owner', ({ annotations, spec, owner }) => {
    expect(serviceOwner({ service: service(annotations, spec) }, { services })).toBe(owner);
  });

  test('a default zone takes every Service without a class', () => {
    expect(serviceOwner({ service: service() }, { services: { ...services, defaultZone: 'z' }, vips })).toBe(
      'services',
    );
  });

  test('FU-68 an opt-out ends the effect of the default zone, and nothing else', () => {
    const settings: OwnerSettings = { services: { ...services, defaultZone: 'z' } };
    const optOut = { 'ipam.vitistack.io/opt-out': 'true' };

    expect(serviceOwner({ service: service(optOut) }, settings)).toBeUndefined();
    expect(
      serviceOwner({ service: service({ ...optOut, 'metallb.io/address-pool': 'other' }) }, settings),
    ).toBeUndefined();
    expect(serviceOwner({ service: service({ ...optOut, 'metallb.io/address-pool': 'z' }) }, settings)).toBe(
      'services',
    );
    expect(serviceOwner({ service: service({ 'ipam.vitistack.io/opt-out': 'false' }) }, settings)).toBe('services');
  });

  test('FU-67 what another load balancer serves is left alone until it asks', () => {
    const settings: OwnerSettings = { services: { ...services, defaultZone: 'z' } };
    const elsewhere = { isServedElsewhere: true };

    expect(serviceOwner({ service: service(), ...elsewhere }, settings)).toBeUndefined();
    expect(serviceOwner({ service: ofClass('ipam/lb'), ...elsewhere }, settings)).toBeUndefined();
    expect(serviceOwner({ service: service(wish), ...elsewhere }, settings)).toBe('services');
  });

  test('vips.classless takes what has neither class nor wish', () => {
    const settings = { services, vips: { ...vips, classless: true } };
    expect(serviceOwner({ service: service() }, settings)).toBe('vips');
    expect(serviceOwner({ service: service(wish) }, settings)).toBe('services');
  });

  test('a door that is switched off takes nothing', () => {
    expect(serviceOwner({ service: service(wish) }, { vips })).toBeUndefined();
    expect(serviceOwner({ service: ofClass('paas.org/vip') }, { services })).toBeUndefined();
  });
});
