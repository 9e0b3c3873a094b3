'use strict';

const element = id => document.getElementById(id);
const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));

function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

async function json(address) {
  const reply = await fetch(address);
  if (!reply.ok) throw new Error(`${reply.status} for ${address}`);
  return reply.json();
}
