import { parseXml, XmlElement, XmlText } from '@rgrove/parse-xml';
import type { ToldFault } from '../shared/cloud-fault';

/** An element of an answer of AWS; one that is missing reads as an empty one. */
export class Ec2Element {
  readonly #element: XmlElement | undefined;

  /**
   * Reads an element.
   *
   * @param element - as it was parsed; undefined for one that is missing
   */
  constructor(element: XmlElement | undefined) {
    this.#element = element;
  }

  /**
   * Reads an answer.
   *
   * @param text - of the body
   * @returns its root; empty for what is no XML
   */
  static parse(text: string): Ec2Element {
    try {
      return new Ec2Element(parseXml(text).root ?? undefined);
    } catch {
      return new Ec2Element(undefined);
    }
  }

  /**
   * Finds the element at a path.
   *
   * @param path - names from here downwards
   * @returns the first one
   */
  at(...path: readonly string[]): Ec2Element {
    let element = this.#element;
    for (const name of path) element = childrenOf(element).find((each) => each.name === name);
    return new Ec2Element(element);
  }

  /**
   * Lists the elements of a list.
   *
   * @param name - of the list, for example `instancesSet`
   * @returns its items
   */
  items(name: string): readonly Ec2Element[] {
    const list = childrenOf(this.#element).find((each) => each.name === name);
    return childrenOf(list)
      .filter((each) => each.name === 'item')
      .map((each) => new Ec2Element(each));
  }

  /**
   * Reads the text of a child.
   *
   * @param path - names from here downwards
   * @returns its text; empty for one that is missing
   */
  text(...path: readonly string[]): string {
    const element = this.at(...path).#element;
    return (element?.children ?? []).map((child) => (child instanceof XmlText ? child.text : '')).join('');
  }
}

function childrenOf(element: XmlElement | undefined): readonly XmlElement[] {
  return (element?.children ?? []).filter((child) => child instanceof XmlElement);
}

/**
 * Reads the refusal in an answer: EC2 writes `Response/Errors/Error`, STS `ErrorResponse/Error`.
 *
 * @param root - of the answer
 * @returns code and text; a code is empty where the answer has none
 */
export function toldIn(root: Ec2Element): ToldFault {
  const error = root.at('Errors').text('Error', 'Code') === '' ? root.at('Error') : root.at('Errors', 'Error');
  return { code: error.text('Code'), message: error.text('Message') };
}
