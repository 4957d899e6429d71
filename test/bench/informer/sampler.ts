/** One process, one variant: keeps `count` Services and prints bytes and CPU microseconds for all of them, as JSON. */
import type { ApiClient } from '../../../operator/cluster/api/api-client';
import { listAll, PAGE_LIMIT } from '../../../operator/cluster/watch/listing';
import { ObjectStore } from '../../../operator/cluster/watch/object-store';
import { trimmedService } from '../../../operator/cluster/watch/trimmed';
import { isMap, type JsonMap } from '../../../operator/contract/loose-json';

/** A first run compiles what is measured. */
const WARM_UP = 2_000;

/** A Service as kubectl applies it and MetalLB serves it: two writers, one copy of the manifest. */
function serviceText(i: number): string {
  const name = `service-${String(i)}`;
  const namespace = `team-${String(i % 50)}`;
  const address = `10.${String((i >> 16) & 255)}.${String((i >> 8) & 255)}.${String(i & 255)}`;
  const annotations = { 'ipam.vitistack.io/zone': 'a', 'ipam.vitistack.io/addresses': address };
  const ports = [80, 443].map((port) => ({ name: `p${String(port)}`, port, protocol: 'TCP', targetPort: port }));
  const spec = { type: 'LoadBalancer', selector: { app: name }, ports };
  const manifest = { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace, annotations }, spec };
  const fields = (manager: string, keys: readonly string[]): object => ({
    manager,
    operation: 'Update',
    apiVersion: 'v1',
    time: '2026-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: Object.fromEntries(
      keys.map((key) => [`f:${key}`, { '.': {}, 'f:name': {}, 'f:port': {}, 'f:protocol': {} }]),
    ),
  });
  const others = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(manifest) };
  const written = [
    fields('kubectl', ['ports', 'selector', 'type', 'labels']),
    fields('metallb', ['status', 'ingress']),
  ];
  const uid = `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;
  return JSON.stringify({
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion: String(1000 + i),
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { app: name },
      annotations: { ...annotations, ...others },
      managedFields: written,
    },
    spec: { ...spec, clusterIP: address, clusterIPs: [address], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' },
    status: { loadBalancer: { ingress: [{ ip: address, ipMode: 'VIP' }] } },
  });
}

/** The text of one page; CPU time for making it is not the variants'. */
class Pages {
  spentMicros = 0;
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
  }

  text(from: number): string {
    const start = process.cpuUsage();
    const end = Math.min(from + PAGE_LIMIT, this.#count);
    const items = Array.from({ length: end - from }, (_, i) => serviceText(from + i));
    const metadata = { resourceVersion: '1', ...(end < this.#count ? { continue: String(end) } : {}) };
    const head = `{"kind":"ServiceList","apiVersion":"v1","metadata":${JSON.stringify(metadata)},"items":[`;
    // flat, as it comes from a socket
    const text = Buffer.from(`${head}${items.join(',')}]}`).toString();
    const { user, system } = process.cpuUsage(start);
    this.spentMicros += user + system;
    return text;
  }
}

async function ours(pages: Pages, _count: number, store = new ObjectStore()): Promise<ObjectStore> {
  const client: Pick<ApiClient, 'request'> = {
    request: ({ query }) => {
      const body = JSON.parse(pages.text(Number(query?.['continue'] ?? 0))) as JsonMap;
      return Promise.resolve({ ok: true, status: 200, body });
    },
  };
  const signal = new AbortController().signal;
  const listed = await listAll({ client: client as ApiClient, path: '/', query: {}, trim: trimmedService, signal });
  if (listed.ok) store.replace(listed.objects);
  return store;
}

function bare(pages: Pages, count: number): unknown {
  const kept = new Map<string, JsonMap>();
  for (let from = 0; from < count; from += PAGE_LIMIT) {
    const { items } = JSON.parse(pages.text(from)) as { readonly items: readonly JsonMap[] };
    for (const item of items) {
      if (isMap(item['metadata']))
        kept.set(`${String(item['metadata']['namespace'])}/${String(item['metadata']['name'])}`, item);
    }
  }
  return kept;
}

async function peer(pages: Pages, count: number): Promise<unknown> {
  const { ListWatch, Watch, KubeConfig } = await import('@kubernetes/client-node');
  const { ObjectSerializer } = await import('@kubernetes/client-node/dist/gen/models/ObjectSerializer.js');
  const items: object[] = [];
  for (let from = 0; from < count; from += PAGE_LIMIT) {
    const page = ObjectSerializer.deserialize(JSON.parse(pages.text(from)), 'V1ServiceList', '') as { items: object[] };
    items.push(...page.items);
  }
  const watch = new Watch(new KubeConfig());
  watch.watch = () => new Promise(() => undefined);
  const informer = new ListWatch(
    '/api/v1/services',
    watch,
    () => Promise.resolve({ metadata: {}, items } as never),
    false,
  );
  void informer.start();
  await new Promise(setImmediate);
  items.length = 0;
  return informer;
}

type Keep = (pages: Pages, count: number, store?: ObjectStore) => unknown;

// `again`: a list of what is known already, as each resync makes it
const VARIANTS: Readonly<Record<string, Keep>> = { ours, bare, peer, again: ours };

// a function of its own, so that nothing of it stays alive
async function warmUp(keep: Keep): Promise<void> {
  await keep(new Pages(WARM_UP), WARM_UP);
}

async function main([variant = '', words = '']: readonly string[]): Promise<void> {
  const keep = VARIANTS[variant];
  if (keep === undefined || global.gc === undefined) throw new RangeError(`no variant "${variant}", or no --expose-gc`);
  const count = Number(words);
  await warmUp(keep);
  global.gc();
  const known = variant === 'again' ? await ours(new Pages(count), count) : undefined;
  const before = process.memoryUsage().heapUsed;
  const pages = new Pages(count);
  const start = process.cpuUsage();
  const kept = await keep(pages, count, known);
  const { user, system } = process.cpuUsage(start);
  global.gc();
  const bytes = process.memoryUsage().heapUsed - before;
  console.log(JSON.stringify({ bytes, micros: user + system - pages.spentMicros }));
  // alive until it was measured
  process.once('exit', () => kept);
}

void main(process.argv.slice(2));
