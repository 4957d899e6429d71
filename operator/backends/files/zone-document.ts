// Synth reads zone files too (`zonesFromFile`), so the text is parsed in the contract, which both can import.
export { parseZoneText } from '../../contract/zone-text';
