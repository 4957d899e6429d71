import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:tls';
import type { ControlPlane } from './control-plane';
import { LEASE_PATH } from './lease-path';
import { eventually } from './eventually';
import { startOperator, type RunningOperator } from './operator-process';

const SLICES = '/apis/discovery.k8s.io/v1/namespaces/ipam-system/endpointslices';
/** From a Pod that is not ready any more to an API server that has heard of it. */
const ENDPOINT_LAG_MS = 1_000;

/** Several operators of one Deployment, each with its endpoint behind the Service of the webhooks. */
export class Replicas {
  readonly #plane: ControlPlane;
  readonly #running = new Map<string, RunningOperator>();
  #started = 0;

  constructor(plane: ControlPlane) {
    this.#plane = plane;
  }

  get names(): readonly string[] {
    return [...this.#running.keys()];
  }

  of(name: string): RunningOperator {
    const operator = this.#running.get(name);
    if (operator === undefined) throw new RangeError(`no replica ${name}`);
    return operator;
  }

  /** Starts as many at once; each is ready and has its endpoint at the end. */
  async start(count: number): Promise<void> {
    const names = Array.from({ length: count }, () => `replica-${String(++this.#started)}`);
    await Promise.all(
      names.map(async (name) => {
        // the API server goes on calling one that ends until it hears that its endpoint is withdrawn, on a busy machine later
        const args = { 'shutdown-delay': '10' };
        const operator = await startOperator(this.#plane, { name, args, awaitWebhooks: false });
        this.#running.set(name, operator);
      }),
    );
  }

  /** Replaces all of them as the Deployment says: one more first, then one less. */
  async roll(): Promise<void> {
    for (const name of this.names) {
      await this.start(1);
      await this.#drain(name);
    }
  }

  /** Waits until each shows this certificate to whoever connects. */
  async serve(certificate: Buffer): Promise<void> {
    const { serialNumber } = new X509Certificate(certificate);
    await Promise.all(
      this.names.map((name) => eventually(async () => (await shownBy(this.of(name))) === serialNumber)),
    );
  }

  /** Kills one as if its machine were lost; the API server hears of it a moment later. */
  async lose(name: string): Promise<void> {
    await this.of(name).kill('SIGKILL');
    await this.#withdraw(name);
  }

  /** Renews the Lease of a leader that does not run any more. */
  async renewLease(): Promise<void> {
    const renewTime = new Date().toISOString().replace('Z', '000Z');
    await this.#plane.client.request('PATCH', LEASE_PATH, { spec: { renewTime } }, 'merge');
  }

  /** The one that leads. */
  leader(): Promise<string> {
    return eventually(async () => {
      const leading = await Promise.all(this.names.map((name) => this.leads(name)));
      const leaders = this.names.filter((_, i) => leading[i]);
      if (leaders.length > 1) throw new RangeError(`${leaders.join(' and ')} lead`);
      return leaders[0];
    });
  }

  /** Reviews that each has answered. */
  async reviews(): Promise<ReadonlyMap<string, number>> {
    const counts = this.names.map(async (name) => {
      const text = await this.of(name).metrics();
      const lines = [...text.matchAll(/^\S*admission_requests_total\S* (\d+)/gm)];
      return [name, lines.reduce((sum, [, count]) => sum + Number(count), 0)] as const;
    });
    return new Map(await Promise.all(counts));
  }

  /** Addresses that a replica bound while it did not lead. */
  async lateBindings(name: string): Promise<number> {
    const found = /^ipam_late_bindings_total\{by="other"\} (\d+)/mu.exec(await this.of(name).metrics());
    return Number(found?.[1] ?? 0);
  }

  /** Whether this one leads. */
  async leads(name: string): Promise<boolean> {
    const operator = this.of(name);
    return operator.running() && /^ipam_leading 1$/mu.test(await operator.metrics());
  }

  // Kubelet and endpoint controller work side by side: the signal comes first, the API server calls for a while longer.
  async #drain(name: string): Promise<void> {
    const operator = this.of(name);
    const ended = operator.kill('SIGTERM');
    await eventually(async () => (await fetch(`${operator.probes}/readyz`)).status === 503);
    await new Promise((resolve) => setTimeout(resolve, ENDPOINT_LAG_MS));
    await this.#withdraw(name);
    await ended;
    if (!operator.log().includes('all servers closed')) throw new RangeError(`${name} did not end in order`);
    this.#running.delete(name);
  }

  async #withdraw(name: string): Promise<void> {
    await this.#plane.client.attempt('DELETE', `${SLICES}/ipam-webhook-${name}`);
  }
}

async function shownBy({ webhooks }: RunningOperator): Promise<string> {
  const socket = connect({ ...webhooks, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}
