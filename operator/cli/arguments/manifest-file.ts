import { parseAllDocuments } from 'yaml';
import { isMap, listOf } from '../../contract/loose-json';
import { LOAD_BALANCER, readService, type ServiceView } from '../../contract/service';
import { SERVICE } from '../../contract/service-identity';
import { accept, refuse, type Outcome } from '../../errors/outcome';

/**
 * Finds the Services that want addresses in a manifest.
 *
 * @param text - YAML or JSON, one document or several; a List counts as its items
 * @returns the Services of type LoadBalancer in their order; `settings/invalid` where there is none
 */
export function servicesOf(text: string): Outcome<readonly ServiceView[]> {
  const documents = documentsOf(text, '--manifest');
  if (!documents.ok) return documents;
  const objects = documents.value.flatMap(itemsOf);
  const services = objects.flatMap((each) =>
    isMap(each) && each['kind'] === SERVICE.kind ? (readService(each) ?? []) : [],
  );
  const wanting = services.filter(({ type }) => type === LOAD_BALANCER);
  if (wanting.length > 0) return accept(wanting);
  const what =
    services.length > 0 ? `its ${services.length} Services are not of type LoadBalancer` : 'no Service is in it';
  return refuse('settings/invalid', `--manifest: ${what}, and only Services of type LoadBalancer get addresses`);
}

/**
 * Reads the documents of a manifest.
 *
 * @param text - YAML or JSON, one document or several
 * @param name - of the argument, for messages
 * @returns each document as it stands; `settings/invalid` for what is neither
 */
export function documentsOf(text: string, name: string): Outcome<readonly unknown[]> {
  const parsed = [...parseAllDocuments(text)];
  const broken = parsed.flatMap(({ errors }) => errors)[0];
  if (broken !== undefined) return unreadable(name, broken);
  try {
    return accept(parsed.map((each) => each.toJS({ maxAliasCount: 100 }) as unknown));
  } catch (thrown) {
    // an alias without its anchor, and aliases of aliases beyond the limit, are found only here
    return unreadable(name, thrown as Error);
  }
}

function unreadable(name: string, { message }: Error): Outcome<never> {
  const [line = 'unreadable'] = message.split('\n');
  return refuse('settings/invalid', `${name}: it is neither YAML nor JSON (${line})`);
}

function itemsOf(value: unknown): readonly unknown[] {
  if (!isMap(value)) return [];
  return value['kind'] === 'List' || value['kind'] === 'ServiceList' ? listOf(value['items']) : [value];
}
