/**
 * A program that gives each new Service of a class an address by the two writes that the VIPs door makes, and does nothing else: it
 * counts addresses up, checks nothing, remembers nothing and keeps no counters. Arguments: folder with `access.json`, namespace, class.
 * Prints a line when it watches.
 *
 * Its writes are named here, and the bench counts them in the audit log:
 * 1. POST of one `IP`, whose name is the lock;
 * 2. one apply of ingress and condition to `services/status`, over the version that the watch told.
 */
import { randomUUID } from 'node:crypto';
import { BareWriter } from '../cluster/bare-writer';

/** As many as the door works on at once. */
const CALLERS = 32;
const CONDITION = 'paas.org/AddressAllocated';

interface Service {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly spec: { readonly loadBalancerClass?: string };
  readonly status: { readonly loadBalancer?: { readonly ingress?: readonly unknown[] } };
}

const [folder = '.', namespace = '', loadBalancerClass = ''] = process.argv.slice(2);
const api = new BareWriter(folder);
const waiting: Service[] = [];
const seen = new Set<string>();
let busy = 0;
let next = 0;

function addressOf(index: number): string {
  return `10.210.${String(Math.floor(index / 256))}.${String(index % 256)}`;
}

function ipOf({ metadata: { name, uid } }: Service, address: string): unknown {
  const owner = { kind: 'Service', namespace, name, uid };
  const since = new Date().toISOString();
  return {
    apiVersion: 'paas.org/v1',
    kind: 'IP',
    metadata: {
      name: address,
      labels: { ipgroup: 'bare' },
      annotations: { 'virtualips.paas.il/owner': `${namespace}/${name}` },
    },
    spec: {
      address,
      ipGroup: 'bare',
      state: 'bound',
      owner,
      holders: [{ id: randomUUID(), since, apiVersion: 'v1', ...owner }],
    },
  };
}

async function serve(service: Service): Promise<void> {
  const address = addressOf((next += 1));
  await api.write('POST', '/apis/paas.org/v1/ips', ipOf(service, address));
  const { name, uid, resourceVersion } = service.metadata;
  const lastTransitionTime = new Date().toISOString();
  const told = { type: CONDITION, status: 'True', reason: 'Allocated', message: `has ${address}`, lastTransitionTime };
  await api.write('PATCH', `/api/v1/namespaces/${namespace}/services/${name}/status?fieldManager=bare&force=true`, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, uid, resourceVersion },
    status: { loadBalancer: { ingress: [{ ip: address }] }, conditions: [told] },
  });
}

async function work(): Promise<void> {
  busy += 1;
  for (let service = waiting.shift(); service !== undefined; service = waiting.shift()) await serve(service);
  busy -= 1;
}

async function main(): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/services?watch=1&allowWatchBookmarks=true`;
  const opened = (): void => {
    console.log('watching');
  };
  for await (const { type, object } of api.watch<Service>(path, opened)) {
    const isWanted = object.spec.loadBalancerClass === loadBalancerClass && !seen.has(object.metadata.uid);
    if (type !== 'ADDED' || !isWanted) continue;
    seen.add(object.metadata.uid);
    waiting.push(object);
    if (busy < CALLERS) void work();
  }
}

void main();
