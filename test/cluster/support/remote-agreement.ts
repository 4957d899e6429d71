import { isMap, mapOf } from '../../../operator/contract/loose-json';
import type { ControlPlane } from './control-plane';
import { eventually } from './eventually';
import type { ServiceScene } from './service-scene';
import { ingressOf } from './services';

/** A breaker that opened, an outbox that paused. */
const SETTLED_MS = 120_000;

interface Surroundings {
  readonly plane: () => ControlPlane;
  readonly scene: ServiceScene;
  /** Who has what of this cluster, as `address name`, by the IPAM-API. */
  readonly holders: () => readonly string[] | Promise<readonly string[]>;
}

/** Comparison of Services, intents and a remote IPAM-API of version 2 for one cluster. */
export class RemoteAgreement {
  readonly #at: Surroundings;

  constructor(at: Surroundings) {
    this.#at = at;
  }

  /** Lists holders of the Secrets, as `address name phase`. */
  async intents(): Promise<readonly string[]> {
    const { client } = this.#at.plane();
    const { items } = (await client.request('GET', '/api/v1/namespaces/ipam-system/secrets')) as unknown as {
      readonly items: readonly {
        readonly metadata: { readonly name: string };
        readonly data?: Record<string, string>;
      }[];
    };
    const rows = items
      .filter(({ metadata }) => metadata.name.startsWith('ipam-intents-'))
      .flatMap(({ data = {} }) => Object.values(data));
    return rows
      .map((value) => mapOf((JSON.parse(Buffer.from(value, 'base64').toString()) as { body: unknown }).body))
      .flatMap((body) =>
        (body['holders'] as readonly unknown[]).filter(isMap).map((holder) => {
          const { serviceName } = mapOf(holder['service']) as { serviceName: string };
          return `${String(body['address'])} ${serviceName} ${String(holder['phase'])}`;
        }),
      )
      .sort();
  }

  /** Lists the addresses of the Services of the namespace, as `address name`. */
  async services(): Promise<readonly string[]> {
    const { items } = (await this.#at.plane().client.request('GET', this.#at.scene.path())) as unknown as {
      readonly items: readonly Parameters<typeof ingressOf>[0][];
    };
    return items.flatMap((each) => ingressOf(each).map((ip) => `${ip} ${each.metadata.name}`)).sort();
  }

  /** Waits until all three agree: nothing is lost, nothing is doubled. */
  async reached(withinMs = SETTLED_MS): Promise<void> {
    await eventually(async () => {
      const [there, shown, rows] = [await this.#at.holders(), await this.services(), await this.intents()];
      expect(shown).toEqual(there);
      expect(rows.map((each) => each.replace(/ held$/u, ''))).toEqual(there);
      return true;
    }, withinMs);
  }
}
