// One variant of G2 in a process of its own: registers so many Services under mocks, in a preview or an update, prints the CPU microseconds.
import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { IpamService } from '../../../infra';
import { parseZones, type ZoneCatalogue } from '../../../operator/contract/zones';

const WARM_UP = 200;

function catalogue(): ZoneCatalogue {
  const parsed = parseZones({ version: 1, zones: [{ name: 'inet', prefixes: ['10.0.0.0/8', '2001:db8::/64'] }] });
  if (!parsed.ok) throw new RangeError('the zones of the bench are wrong');
  return parsed.value;
}

const zones = catalogue();
const addressOf = (i: number): string => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;

/** One Service as a user of the components writes it. */
function ours(name: string, i: number): void {
  const selector = { app: name };
  new IpamService(name, {
    ports: [{ port: 443, targetPort: 8443 }],
    selector,
    zone: 'inet',
    addresses: [addressOf(i)],
    retentionPeriodDays: 7,
    zones,
  });
}

/** The same Service in a component as somebody would write it without us. */
class BareService extends pulumi.ComponentResource {
  constructor(name: string, i: number) {
    super('bench:index:BareService', name);
    const annotations = {
      'ipam.vitistack.io/addresses': addressOf(i),
      'ipam.vitistack.io/zone': 'inet',
      'ipam.vitistack.io/retention-period-days': '7',
    };
    const spec = { type: 'LoadBalancer', ports: [{ port: 443, protocol: 'TCP', targetPort: 8443 }] };
    new kubernetes.core.v1.Service(
      `${name}/Service`,
      { metadata: { name, annotations }, spec: { ...spec, selector: { app: name } } },
      { parent: this },
    );
    this.registerOutputs({});
  }
}

const VARIANTS: Readonly<Record<string, (name: string, i: number) => void>> = {
  ours,
  bare: (name, i) => {
    new BareService(name, i);
  },
};

async function register(variant: string, count: number, isPreview: boolean): Promise<void> {
  let services = 0;
  const mocks: pulumi.runtime.Mocks = {
    newResource: ({ type, name, inputs }) => {
      if (type === 'kubernetes:core/v1:Service') services += 1;
      return { id: name, state: inputs as object };
    },
    call: ({ inputs }) => inputs as Record<string, unknown>,
  };
  await pulumi.runtime.setMocks(mocks, 'bench', 'bench', isPreview);
  for (let i = 0; i < count; i++) VARIANTS[variant]?.(`service-${i}`, i);
  await pulumi.runtime.disconnect();
  if (services !== count) throw new RangeError(`registered were ${services} Services`);
}

async function main([variant = '', count = '', mode = '']: readonly string[]): Promise<void> {
  const isPreview = mode === 'preview';
  await register(variant, WARM_UP, isPreview);
  const before = process.cpuUsage();
  await register(variant, Number(count), isPreview);
  const { user, system } = process.cpuUsage(before);
  console.log(user + system);
}

void main(process.argv.slice(2));
