// One variant of G1 in a process of its own: builds and synthesizes an app of so many Services or claims, prints the CPU microseconds.
import { ApiObject, App, Chart } from 'cdk8s';
import { AddressClaim, IpamService } from '../../../constructs';
import { parseZones, type ZoneCatalogue } from '../../../operator/contract/zones';

const WARM_UP = 1_000;

function catalogue(): ZoneCatalogue {
  const parsed = parseZones({ version: 1, zones: [{ name: 'inet', prefixes: ['10.0.0.0/8', '2001:db8::/64'] }] });
  if (!parsed.ok) throw new RangeError('the zones of the bench are wrong');
  return parsed.value;
}

const zones = catalogue();
const selectorOf = (name: string): Readonly<Record<string, string>> => ({ app: name });

/** One Service as a user of the constructs writes it; every prop is checked at synth. */
function ours(chart: Chart, name: string, i: number): void {
  new IpamService(chart, name, {
    ports: [{ port: 443, targetPort: 8443 }],
    selector: selectorOf(name),
    zone: 'inet',
    addresses: [`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`],
    retentionPeriodDays: 7,
    zones,
  });
}

/** The same object, written out by hand. */
function bare(chart: Chart, name: string, i: number): void {
  new ApiObject(chart, name, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name,
      annotations: {
        'ipam.vitistack.io/addresses': `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`,
        'ipam.vitistack.io/zone': 'inet',
        'ipam.vitistack.io/retention-period-days': '7',
      },
    },
    spec: {
      type: 'LoadBalancer',
      ports: [{ port: 443, protocol: 'TCP', targetPort: 8443 }],
      selector: selectorOf(name),
    },
  });
}

const hostOf = (i: number): string => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;
const claimOf = (i: number) =>
  ({ network: 'default', address: hostOf(i), door: 'grpc', state: 'bound', key: `host-${i}` }) as const;

/** Each is compared with all others of the app. */
function ourClaim(chart: Chart, name: string, i: number): void {
  new AddressClaim(chart, name, { spec: claimOf(i) });
}

/** The same object, written out by hand. */
function bareClaim(chart: Chart, name: string, i: number): void {
  new ApiObject(chart, name, {
    apiVersion: 'ipam.vitistack.io/v1alpha1',
    kind: 'AddressClaim',
    metadata: { name: `default.${hostOf(i)}` },
    spec: claimOf(i),
  });
}

const VARIANTS = { ours, bare, ourClaim, bareClaim } as const;
const isVariant = (word: string): word is keyof typeof VARIANTS => word in VARIANTS;

function synthesize(variant: keyof typeof VARIANTS, count: number): string {
  const app = new App();
  const chart = new Chart(app, 'web', { namespace: 'web' });
  for (let i = 0; i < count; i++) VARIANTS[variant](chart, `service-${i}`, i);
  return app.synthYaml();
}

const [variant = '', count = ''] = process.argv.slice(2);
if (!isVariant(variant)) throw new RangeError(`no variant "${variant}"`);
synthesize(variant, WARM_UP);
const before = process.cpuUsage();
const text = synthesize(variant, Number(count));
const { user, system } = process.cpuUsage(before);
if (text.split('\n---\n').length !== Number(count)) throw new RangeError('the app has another number of objects');
console.log(user + system);
